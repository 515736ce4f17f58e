import { describe, expect, it } from 'vitest'
import { addressSpaceOf, needsLocalPermission } from '#protocol/address-check.ts'

describe('the address space of a URL', () => {
  const SPACES = {
    loopback: `
      http://localhost:1 http://app.localhost http://127.9.0.1 http://127.10.20.30 http://[::1]:80`,
    public: `
      https://localhost.example https://my-localhost.example https://127.0.0.1.example
      https://at.127.0.0.1.example http://172.15.0.1 http://172.32.0.1 http://192.169.1.1
      http://[2001:db8::1] https://local.example https://api.example`,
    local: `
      http://10.0.0.1 http://10.20.30.40 http://172.20.30.40 http://192.168.30.40
      http://169.254.30.40 http://172.16.0.1 http://172.31.255.1 http://192.168.1.1
      http://169.254.1.1 http://[fd00::1] http://[fe80::1] http://nas http://not-localhost
      http://nas.local`,
  }
  it.each(
    Object.entries(SPACES).flatMap(([space, all]) =>
      all
        .trim()
        .split(/\s+/)
        .map((one) => [one, space] as const),
    ),
  )('%s is %s', (url, space) => {
    expect(addressSpaceOf(url)).toBe(space)
  })

  it('requires permission only from a more public page', () => {
    expect(needsLocalPermission('https://dash.example', 'http://10.0.0.1')).toBe(true)
    expect(needsLocalPermission('http://10.0.0.2', 'http://127.0.0.1')).toBe(true)
    expect(needsLocalPermission('http://10.0.0.2', 'http://10.0.0.1')).toBe(false)
    expect(needsLocalPermission('http://localhost', 'http://10.0.0.1')).toBe(false)
    expect(needsLocalPermission('http://localhost', 'https://api.example')).toBe(false)
  })
})
