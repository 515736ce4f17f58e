import { describe, expect, it } from 'vitest'
import { addressSpaceOf, needsLocalPermission } from '#protocol/address-check.ts'

describe('the space of an address', () => {
  it.each([
    ['http://localhost:1', 'loopback'],
    ['http://app.localhost', 'loopback'],
    ['http://127.9.0.1', 'loopback'],
    ['http://127.10.20.30', 'loopback'],
    ['http://[::1]:80', 'loopback'],
    ['https://localhost.example', 'public'],
    ['https://my-localhost.example', 'public'],
    ['https://127.0.0.1.example', 'public'],
    ['https://at.127.0.0.1.example', 'public'],
    ['http://10.0.0.1', 'local'],
    ['http://10.20.30.40', 'local'],
    ['http://172.20.30.40', 'local'],
    ['http://192.168.30.40', 'local'],
    ['http://169.254.30.40', 'local'],
    ['http://172.16.0.1', 'local'],
    ['http://172.31.255.1', 'local'],
    ['http://172.15.0.1', 'public'],
    ['http://172.32.0.1', 'public'],
    ['http://192.168.1.1', 'local'],
    ['http://192.169.1.1', 'public'],
    ['http://169.254.1.1', 'local'],
    ['http://[fd00::1]', 'local'],
    ['http://[fe80::1]', 'local'],
    ['http://[2001:db8::1]', 'public'],
    ['http://nas', 'local'],
    ['http://not-localhost', 'local'],
    ['http://nas.local', 'local'],
    ['https://local.example', 'public'],
    ['https://api.example', 'public'],
  ])('%s is %s', (url, space) => {
    expect(addressSpaceOf(url)).toBe(space)
  })

  it('needs a permission from further away only', () => {
    expect(needsLocalPermission('https://dash.example', 'http://10.0.0.1')).toBe(true)
    expect(needsLocalPermission('http://10.0.0.2', 'http://127.0.0.1')).toBe(true)
    expect(needsLocalPermission('http://10.0.0.2', 'http://10.0.0.1')).toBe(false)
    expect(needsLocalPermission('http://localhost', 'http://10.0.0.1')).toBe(false)
    expect(needsLocalPermission('http://localhost', 'https://api.example')).toBe(false)
  })
})
