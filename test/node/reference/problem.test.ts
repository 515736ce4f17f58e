import { STATUS_CODES } from 'node:http'
import { describe, expect, it } from 'vitest'
import { problemAnswer, PROBLEMS, type ProblemCode } from '#reference/problem.ts'

const bodyOf = (code: ProblemCode, profile?: string): Record<string, unknown> => {
  const { body } = problemAnswer(code, profile)
  return JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '{}')
}
const sentenceOf = (code: ProblemCode, profile?: string): string => String(bodyOf(code, profile)['detail'])

const CODES = Object.keys(PROBLEMS) as ProblemCode[]

describe('a problem', () => {
  it.each(CODES)('is told as RFC 9457 has it, with a sentence of its own: %s', (code) => {
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

  it('has a sentence that no other one has', () => {
    expect(new Set(CODES.map((code) => sentenceOf(code))).size).toBe(CODES.length)
  })

  it('asks for credentials with status 401, and for nothing else', () => {
    for (const code of CODES) {
      const { status, headers } = problemAnswer(code, 'mine')
      const error = code === 'credentials-missing' ? '' : ', error="invalid_token"'
      expect(headers['WWW-Authenticate'], code).toBe(
        status === 401 ? `Bearer realm="immune-node", profile="mine"${error}` : undefined,
      )
    }
  })

  it('names what helps: the methods that are allowed, or when to ask again', () => {
    const helps = CODES.flatMap((code) => {
      const { headers } = problemAnswer(code)
      const { Allow: allow, 'Retry-After': retryAfter } = headers
      return allow === undefined && retryAfter === undefined ? [] : [[code, allow, retryAfter]]
    })
    expect(helps).toEqual([
      ['method-not-allowed', 'GET, HEAD, OPTIONS', undefined],
      ['too-many-requests', undefined, '30'],
    ])
  })

  it('names the headers of bearer-v1 only where that is the profile', () => {
    for (const code of ['credentials-missing', 'credentials-malformed'] as const) {
      expect(sentenceOf(code)).toContain('X-Node-Nonce')
      expect(sentenceOf(code, 'mine')).not.toContain('X-Node')
      expect(sentenceOf(code, 'mine')).toContain('headers of the signing profile of this service')
    }
    expect(sentenceOf('nonce-used', 'mine')).toBe(sentenceOf('nonce-used'))
  })
})
