import { describe, expect, it } from 'vitest'
import { directProblem, directReceiverProblem } from '#server/direct-service.ts'
import { serviceAt } from '#settings/settings.ts'
import {
  COMMON_HEADERS,
  DOCUMENT_HEADERS,
  enginePolicy,
  fileHeaders,
  INERT_POLICY,
  LOGIN_HEADERS,
  PAGE_POLICY,
  policySource,
  roleOf,
  SIGNER_POLICY,
} from '#server/security-headers.ts'

const PERMISSIONS =
  'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), payment=(), display-capture=(), clipboard-read=(), publickey-credentials-get=(self), publickey-credentials-create=(self), screen-wake-lock=(self)'

const COMMON = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

describe('a file by its path', () => {
  it.each([
    ['/', 'page'],
    ['/index.html', 'page'],
    ['/assets/index.html', 'page'],
    ['/login.html', 'login'],
    ['/assets/login.html', 'page'],
    ['/assets/engine-worker-1.js', 'engine-worker'],
    ['/assets/engine-worker-.js', 'engine-worker'],
    ['/assets/signer-worker-aB_1.js', 'signer-worker'],
    ['/assets/signer-worker-.js', 'signer-worker'],
    ['/assets/engine-worker-1.js.map', 'asset'],
    ['/assets/signer-worker-1.js.map', 'asset'],
    ['/assets/engine-worker-1/x.js', 'asset'],
    ['/assets/signer-worker-1/x.js', 'asset'],
    ['/assets/engine-worker-1xjs', 'asset'],
    ['/assets/index-1.js', 'asset'],
    ['/assets/', 'asset'],
    ['/x/assets/engine-worker-1.js', 'other'],
    ['/x/assets/signer-worker-1.js', 'other'],
    ['/x/assets/index-1.js', 'other'],
    ['/html', 'other'],
    ['/favicon.svg', 'other'],
    ['', 'other'],
  ])('%s is of the role %s', (path, role) => expect(roleOf(path)).toBe(role))
})

describe('headers of a file', () => {
  it('let the page do what it needs, and its Workers as little as they need', () => {
    expect(fileHeaders('page', ['https://a.example'])).toEqual({
      ...COMMON,
      'Content-Security-Policy': PAGE_POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': PERMISSIONS,
      'Cache-Control': 'no-cache',
    })
    expect(fileHeaders('engine-worker', ['https://a.example', 'https://b.example'])).toEqual({
      ...COMMON,
      'Content-Security-Policy':
        "default-src 'none'; connect-src 'self' https://a.example https://b.example; require-trusted-types-for 'script'; trusted-types 'none'",
      'Cache-Control': 'no-cache',
    })
    expect(fileHeaders('signer-worker', ['https://a.example'])).toEqual({
      ...COMMON,
      'Content-Security-Policy':
        "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'Cache-Control': 'no-cache',
    })
    expect(PAGE_POLICY).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types immune-workers",
    )
    expect(SIGNER_POLICY).not.toContain('self')
    expect(enginePolicy([])).toContain("connect-src 'self';")
  })

  it('let data do nothing, and be kept where its name changes with it', () => {
    expect(INERT_POLICY).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    expect(fileHeaders('asset', [])).toEqual({
      ...COMMON,
      'Content-Security-Policy': INERT_POLICY,
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
    expect(fileHeaders('other', [])).toEqual({
      ...COMMON,
      'Content-Security-Policy': INERT_POLICY,
      'Cache-Control': 'no-cache',
    })
    expect(DOCUMENT_HEADERS).toEqual({
      ...COMMON,
      'Content-Security-Policy': INERT_POLICY,
      'Cache-Control': 'no-store',
    })
    expect(COMMON_HEADERS).toEqual(COMMON)
  })

  it('let the sign-in page send its form here, and nothing of the app', () => {
    expect(fileHeaders('login', [])).toEqual({
      ...COMMON,
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': PERMISSIONS,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'same-origin',
    })
    expect(LOGIN_HEADERS).toBe(fileHeaders('login', []))
  })
})

describe('a source of a policy', () => {
  it.each([
    ['https://a.example/', ['https://a.example']],
    ['https://a.example:8443/x/y?z=1', ['https://a.example:8443/x/y']],
    ['https://a.example/a;b,c;d,e', ['https://a.example/a%3Bb%2Cc%3Bd%2Ce']],
    ['http://a_b.example/', []],
  ])('of %s is %j', (url, sources) => expect(policySource(url)).toEqual(sources))
})

it('what is named by an IPv6 address is asked by this server, and not by the browser', () => {
  const url = 'http://[::1]:8080/'
  expect(directProblem({ ...serviceAt('https://a.example', 'proxy'), baseUrl: url })).toBeUndefined()
  expect(directReceiverProblem({ kind: 'webhook', url, via: 'relay' })).toBeUndefined()
  expect(directReceiverProblem({ kind: 'webhook', url, via: 'direct' })).toContain('"relay"')
})
