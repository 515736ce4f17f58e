import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { haveSameWords, wordsOf } from '#protocol/answer-words.ts'

const of = (body: string, given: { contentType?: string; challenge?: string } = {}) =>
  wordsOf({ status: 401, body, ...given })

describe('an answer’s words', () => {
  it.each<[string, string, object]>([
    [
      'a problem document',
      '{"title":"Unauthorized","detail":"not registered","code":"key-x"}',
      { text: 'not registered', code: 'key-x' },
    ],
    ['a title alone', '{"title":"Unauthorized"}', { text: 'Unauthorized' }],
    ['an error object', '{"error":{"code":"E7","message":"no"}}', { text: 'no', code: 'E7' }],
    ['OAuth', '{"error":"invalid_token","error_description":"expired"}', { text: 'invalid_token' }],
    [
      'OAuth with a message',
      '{"error":"invalid_token","message":"expired"}',
      { text: 'expired', code: 'invalid_token' },
    ],
    ['a description alone', '{"error_description":"expired"}', { text: 'expired' }],
    ['a sentence with a line end', '{"detail":" not\\n  registered\\n"}', { text: 'not registered' }],
    ['a code under another name', '{"error_code":"E9","message":"m"}', { text: 'm', code: 'E9' }],
    ['a number, an empty string and null', '{"detail":7,"title":"","code":null}', {}],
    ['text that is not JSON', 'Unauthorized', {}],
    ['an empty body', '', {}],
    ['a page', '<!DOCTYPE html><title>Sign\n  in</title>', { page: 'Sign in' }],
    ['a page without a title', ' <html><body>x', { page: '' }],
    ['a page with spaced tags', '<!doctype   html><title lang="en">Sign in</title>', { page: 'Sign in' }],
    ['a page whose title comes too late', `<html>${' '.repeat(4_096)}<title>late</title>`, { page: '' }],
    ['text that mentions a tag', 'see <html> there', {}],
    [
      'hidden characters',
      '{"detail":"\\u202eok","code":"a\\u0000b"}',
      { text: '⟨U+202E⟩ok', code: 'a⟨U+0000⟩b' },
    ],
    [
      'long texts',
      JSON.stringify({ detail: 'x'.repeat(121), code: 'y'.repeat(65) }),
      { text: `${'x'.repeat(120)}… (121 characters)`, code: `${'y'.repeat(64)}… (65 characters)` },
    ],
    [
      'a long title',
      `<html><title>${'t'.repeat(65)}</title>`,
      { page: `${'t'.repeat(64)}… (65 characters)` },
    ],
    ['a member of the prototype', '{"error":{"__proto__":{"message":"no"}}}', {}],
  ])('of %s', (_what, body, expected) => {
    expect(of(body)).toEqual({ status: 401, ...expected })
  })

  it.each([
    ['Bearer realm="x", error="invalid_token"', { scheme: 'Bearer', namesError: true }],
    ['Bearer realm="x"', { scheme: 'Bearer', namesError: false }],
    [' basic realm="x"', { scheme: 'basic', namesError: false }],
    ['Bearer error = "invalid_token"', { scheme: 'Bearer', namesError: true }],
    ['Bearer errors="none"', { scheme: 'Bearer', namesError: false }],
    ['"', undefined],
    ['"Bearer"', undefined],
  ])('of the challenge %s', (challenge, expected) => {
    expect(of('', { challenge }).challenge).toEqual(expected)
  })

  it('never throw', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (body, contentType, challenge) => {
        expect(wordsOf({ status: 401, body, contentType, challenge }).status).toBe(401)
      }),
    )
  })
})

const said = { status: 401, code: 'a', text: 'b' }
it.each([
  [said, { ...said }, true],
  [said, { ...said, status: 403 }, false],
  [said, { ...said, code: 'other' }, false],
  [said, { ...said, text: 'other' }, false],
  [said, { status: 401 }, false],
  [{ status: 401, page: '' }, { status: 401, page: '' }, true],
  [{ status: 401, page: '' }, { status: 401, page: 'x' }, false],
  [{ status: 401 }, { status: 401 }, undefined],
  [{ status: 401 }, { status: 400 }, false],
  [
    { status: 401, challenge: { scheme: 'Bearer', namesError: true } },
    { status: 401, challenge: { scheme: 'bearer', namesError: true } },
    true,
  ],
  [
    { status: 401, challenge: { scheme: 'Bearer', namesError: true } },
    { status: 401, challenge: { scheme: 'Bearer', namesError: false } },
    false,
  ],
])('two answers %j and %j: %s', (a, b, expected) => {
  expect(haveSameWords(a, b)).toBe(expected)
  expect(haveSameWords(b, a)).toBe(expected)
})
