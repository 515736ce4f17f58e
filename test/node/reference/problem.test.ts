import { STATUS_CODES } from 'node:http'
import { describe, expect, it } from 'vitest'
import { problemAnswer, PROBLEMS, type ProblemCode } from '#reference/problem.ts'

const bodyOf = (code: ProblemCode, profile?: string): Record<string, unknown> => {
  const { body } = problemAnswer(code, profile)
  return JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '{}')
}
const CODES = Object.keys(PROBLEMS) as ProblemCode[]

describe('a problem', () => {
  it.each(CODES)('follows RFC 9457 with one sentence of detail: %s', (code) => {
    const [status] = PROBLEMS[code]
    const { headers, ...answer } = problemAnswer(code)
    expect([answer.status, headers['Content-Type']]).toEqual([status, 'application/problem+json'])
    expect(bodyOf(code)).toEqual({
      type: `urn:immune-node:problem:${code}`,
      title: STATUS_CODES[status],
      status,
      detail: expect.stringMatching(/^[A-Z][^\n]{15,}[.]$/),
      code,
    })
  })

  it('has WWW-Authenticate with status 401 only', () => {
    for (const code of CODES) {
      const { status, headers } = problemAnswer(code, 'mine')
      const error = code === 'credentials-missing' ? '' : ', error="invalid_token"'
      expect(headers['WWW-Authenticate'], code).toBe(
        status === 401 ? `Bearer realm="immune-node", profile="mine"${error}` : undefined,
      )
    }
  })
})
