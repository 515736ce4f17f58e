import { describe, expect, it } from 'vitest'
import { ask } from './http-client.ts'
import { startTestServer } from './test-server.ts'

const forget = async (headers: Record<string, string> | undefined, method = 'POST') => {
  const { url } = await startTestServer()
  const own = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }
  return ask(url, '/forget', { method, headers: headers ?? own })
}

describe('forgetting', () => {
  it('makes the browser clear the storage of this site, for the server’s own page', async () => {
    const answer = await forget(undefined)
    expect(answer.status).toBe(200)
    expect(answer.headers['clear-site-data']).toBe('"storage"')
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it.each<[string, Record<string, string>]>([
    ['a page of another site', { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }],
    ['an opaque origin', { origin: 'null' }],
    ['no origin', {}],
  ])('is refused for %s, and clears nothing', async (_who, headers) => {
    const answer = await forget(headers)
    expect(answer.status).toBe(403)
    expect(answer.headers['clear-site-data']).toBeUndefined()
  })

  it.each(['GET', 'PUT', 'OPTIONS'])('is not allowed by %s', async (method) => {
    const answer = await forget(undefined, method)
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST')
    expect(answer.headers['clear-site-data']).toBeUndefined()
  })
})
