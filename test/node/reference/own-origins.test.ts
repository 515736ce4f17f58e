import { describe, expect, it } from 'vitest'
import { OptionsError } from '#reference/options.ts'
import { ownOrigins } from '#reference/reference-service.ts'

describe('the origins of a service', () => {
  it.each<readonly [string, readonly string[]]>([
    ['127.0.0.1', ['http://127.0.0.1:7421', 'http://localhost:7421']],
    ['localhost', ['http://127.0.0.1:7421', 'http://localhost:7421']],
    ['0.0.0.0', ['http://127.0.0.1:7421', 'http://localhost:7421']],
    ['::1', ['http://[::1]:7421', 'http://localhost:7421']],
    ['::', ['http://[::1]:7421', 'http://localhost:7421']],
    ['nodes.example', ['http://nodes.example:7421']],
    ['192.0.2.7', ['http://192.0.2.7:7421']],
  ])('that listens on %s start with the one to print', (host, origins) => {
    expect(ownOrigins(host, 7421, [])).toEqual(origins)
  })

  it('include the configured ones, normalized and without duplicates', () => {
    expect(
      ownOrigins('127.0.0.1', 80, ['https://nodes.example:443', 'http://localhost', 'https://b.example:8']),
    ).toEqual(['http://127.0.0.1', 'http://localhost', 'https://nodes.example', 'https://b.example:8'])
  })

  it('are limited to 4', () => {
    expect(() =>
      ownOrigins('127.0.0.1', 80, ['https://a.example', 'https://b.example', 'https://c.example']),
    ).toThrow(new OptionsError('This service has more than 4 addresses. Use fewer --origin options.'))
  })
})
