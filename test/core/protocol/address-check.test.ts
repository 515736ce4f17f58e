import { describe, expect, it } from 'vitest'
import { checkAddress } from '#protocol/address-check.ts'

const PAGE = 'http://127.0.0.1:7420'
const TLS_PAGE = 'https://dashboard.example'

describe('a typed address', () => {
  it.each([
    ['https://api.example.net/', 'https://api.example.net', false],
    ['api.example.net/v1', 'https://api.example.net/v1', false],
    ['localhost:8080', 'http://localhost:8080', false],
    ['http://10.0.4.7', 'http://10.0.4.7', true],
  ])('%s becomes %s', (text, baseUrl, isPlain) => {
    expect(checkAddress(text, 'proxy', PAGE)).toEqual({ ok: true, value: { baseUrl, isPlain } })
  })

  it.each([
    ['', 'empty'],
    ['https://', 'not-a-url'],
    ['ftp://api.example.net', 'not-http'],
    ['https://me:pw@api.example.net', 'has-user'],
    ['https://api.example.net?x=1', 'has-query'],
    ['https://api.example.net/node/status', 'whole-endpoint'],
    ['https://api.example.net/node/status/', 'whole-endpoint'],
    ['https://api.example.net/node/status?node_id=0x1', 'whole-endpoint'],
    ['ftp://api.example.net/node/status ', 'whole-endpoint'],
    ['ftp://api.example.net/node/statuses', 'not-http'],
    [`https://${'a'.repeat(300)}`, 'too-long'],
  ])('%s is refused as %s', (text, problem) => {
    expect(checkAddress(text, 'proxy', PAGE)).toEqual({ ok: false, error: problem })
  })

  it.each([
    ['http://10.0.4.7', 'direct', TLS_PAGE, false],
    ['http://10.0.4.7', 'proxy', TLS_PAGE, true],
    ['http://10.0.4.7', 'direct', PAGE, true],
    ['http://localhost:8080', 'direct', TLS_PAGE, true],
    ['https://10.0.4.7', 'direct', TLS_PAGE, true],
    ['http://my_service:8080', 'proxy', PAGE, true],
    ['http://my_service:8080', 'direct', PAGE, false],
  ] as const)('%s polled %s from %s is allowed: %s', (text, via, page, allowed) => {
    expect(checkAddress(text, via, page).ok).toBe(allowed)
  })

  it.each([
    ['http://10.0.4.7', TLS_PAGE, 'mixed-content'],
    ['http://my_service:8080', PAGE, 'underscore'],
  ])('%s polled direct from %s is refused as %s', (text, page, problem) => {
    expect(checkAddress(text, 'direct', page)).toEqual({ ok: false, error: problem })
  })
})
