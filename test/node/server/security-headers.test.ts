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
  it.each(
    Object.entries({
      page: ['/', '/index.html', '/assets/index.html', '/assets/login.html'],
      login: ['/login.html'],
      'engine-worker': ['/assets/engine-worker-1.js', '/assets/engine-worker-.js'],
      'signer-worker': ['/assets/signer-worker-aB_1.js', '/assets/signer-worker-.js'],
      asset: [
        '/assets/engine-worker-1.js.map',
        '/assets/signer-worker-1.js.map',
        '/assets/engine-worker-1/x.js',
        '/assets/signer-worker-1/x.js',
        '/assets/engine-worker-1xjs',
        '/assets/index-1.js',
        '/assets/',
      ],
      other: [
        '/x/assets/engine-worker-1.js',
        '/x/assets/signer-worker-1.js',
        '/x/assets/index-1.js',
        '/html',
        '/favicon.svg',
        '',
      ],
    }).flatMap(([role, paths]) => paths.map((path) => [path, role] as const)),
  )('%s has the role %s', (path, role) => expect(roleOf(path)).toBe(role))
})

it('headers of a file allow the sign-in page to send its form to this server, and nothing of the app', () => {
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
