import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { parseProfile } from '#settings/documents.ts'
import type { Profile } from '#signing/profile.ts'
import { gradeOf, lintProfile } from '#signing/profile-lint.ts'
import { credentialOf, needsKey, needsToken, usesKey } from '#signing/profile-needs.ts'
import { signedHeaders } from '#signing/status-request.ts'
import { parseTemplate, placeholdersOf } from '#signing/template.ts'
import { parseToken, shownHeaders, TOKEN_CHARS_MAX, withoutToken } from '#signing/token.ts'
import { valueOf } from '#test/support/value-of.ts'

const profileOf = (headers: Record<string, string>, token?: 'operator-typed') => {
  return valueOf(parseProfile({ message: { kind: 'none', ...(token && { token }) }, headers }))
}

describe('a profile with a token', () => {
  it('is graded and linted by what it lacks', () => {
    const profile = profileOf({ Authorization: 'Bearer {token}' }, 'operator-typed')
    expect(gradeOf(profile)).toBe('F')
    expect(lintProfile(profile)).toEqual([
      { code: 'secret-sent', severity: 'error' },
      { code: 'token-unbound', severity: 'error' },
    ])
    expect(lintProfile(profileOf({}, 'operator-typed'))).toEqual([
      { code: 'token-not-sent', severity: 'error' },
    ])
    expect(lintProfile(profileOf({}))).toEqual([{ code: 'nothing-signed', severity: 'warning' }])
  })

  it('never contains the token, and uses {token} only if one is typed and nothing is signed', () => {
    const problems = (message: object, headers: object) => {
      const parsed = parseProfile({ message, headers })
      return parsed.ok ? [] : parsed.error.map(({ message: text }) => text)
    }
    expect(problems({ kind: 'none', token: 'tok_123' }, {})).toHaveLength(1)
    expect(problems({ kind: 'none' }, { Authorization: 'Bearer {token}' })).toEqual([
      'header Authorization: {token} needs message.token set to "operator-typed"',
    ])
    expect(problems({ kind: 'template', template: 'x' }, { Authorization: '{token}' })).toEqual([
      'header Authorization: {token} is not a placeholder here',
    ])
    expect(problems({ kind: 'template', template: '{token}' }, {})).toEqual([
      'the message: {token} is not a placeholder here',
    ])
  })

  it('is sent with a token, and not without one', () => {
    const profile = profileOf({ Authorization: 'Bearer {token}' }, 'operator-typed')
    const input = {
      baseUrl: 'https://a.example',
      nodeId: '0x1',
      publicKey: new Uint8Array(32),
      nowMs: 0,
      nonce: new Uint8Array(16),
    }
    const sent = (token?: string) => signedHeaders(profile, { ...input, token }, new Uint8Array())
    const headers = { Authorization: 'Bearer tok_1' }
    expect(sent('tok_1')).toStrictEqual(ok({ headers, query: 'node_id=0x1', token: 'tok_1' }))
    expect(sent()).toEqual(err({ kind: 'unknown-placeholder', at: 'token' }))
    // The length of the token does not count toward the limit for headers.
    expect(sent('t'.repeat(TOKEN_CHARS_MAX)).ok).toBe(true)
    const without = signedHeaders({ ...profile, headers: {} }, input, new Uint8Array())
    expect(without).toStrictEqual(ok({ headers: {}, query: 'node_id=0x1' }))
  })

  it('determines which credential is needed', () => {
    const token = { profile: profileOf({ Authorization: '{token}' }, 'operator-typed') }
    const open = { profile: profileOf({ 'X-Client': 'wall' }) }
    const named = { profile: profileOf({ 'X-Kid': '{kid}' }) }
    const keyed = { profile: profileOf({ Authorization: '{token}', 'X-Key': '{key.hex}' }, 'operator-typed') }
    expect([token, open, named, keyed, { profile: 'bearer-v1' }].map(needsKey)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
    expect([token, open, { profile: 'bearer-v1' }].map(needsToken)).toEqual([true, false, false])
    expect([token, open, named, { profile: 'bearer-v1' }].map(credentialOf)).toEqual([
      'token',
      'none',
      'key',
      'key',
    ])
    const signed: Profile = { v: 1, message: { kind: 'none', signer: 'dashboard-server' }, headers: {} }
    expect([credentialOf({ profile: signed }), needsKey({ profile: signed })]).toEqual(['server', false])
    const unnamed: Profile = {
      v: 1,
      message: { kind: 'template', template: '{ts.s}' },
      headers: { Authorization: '{sig.hex}' },
    }
    expect([usesKey(unnamed), credentialOf({ profile: unnamed })]).toEqual([true, 'key'])
  })
})

describe('the displayed parts of a request', () => {
  it('contain no token', () => {
    const headers = { Authorization: 'Bearer abc', 'X-Api': '<abc>', 'X-Client': 'wall' }
    expect(shownHeaders({ headers, query: '', token: 'abc' })).toEqual({
      Authorization: 'Bearer [token]',
      'X-Api': '[token]',
      'X-Client': 'wall',
    })
    expect(shownHeaders({ headers, query: '' })).toBe(headers)
  })

  it('contain no token in the answer, unless it has less than 8 characters', () => {
    expect(withoutToken('no 12345678, 12345678!', '12345678')).toBe('no [token], [token]!')
    expect(withoutToken('no 1234567', '1234567')).toBe('no 1234567')
    expect(withoutToken('no', undefined)).toBe('no')
  })
})

describe('a typed token', () => {
  const parsed = (text: string) => parseToken(new TextEncoder().encode(text))

  it.each(['a', 'tok_1 2~', '!', '~', 'a'.repeat(TOKEN_CHARS_MAX)])('is kept unchanged: %#', (text) => {
    expect(parsed(text)).toEqual(ok(text))
  })
})

it('usesKey agrees with a full parse of the header template', () => {
  const piece = fc.constantFrom('{', '{{', '}', '}}', 'key', 'kid', 'keys', '.hex', '.', 'ts.s', ' ')
  const templates = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  let named = 0
  fc.assert(
    fc.property(templates, (template) => {
      fc.pre(parseTemplate(template).ok)
      const names = placeholdersOf(template).some((name) => /^(key|kid)(\.|$)/.test(name))
      if (names) named++
      expect(usesKey({ ...profileOf({}), headers: { 'X-Of': template } })).toBe(names)
    }),
    { numRuns: 3_000, seed: 20_261_123 },
  )
  expect(named).toBeGreaterThan(10)
})
