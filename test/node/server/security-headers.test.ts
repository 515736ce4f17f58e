import { describe, expect, it } from 'vitest'
import { fileHeaders, LOGIN_HEADERS, roleOf } from '#server/security-headers.ts'

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
