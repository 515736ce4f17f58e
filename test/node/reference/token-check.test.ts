import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { OptionsError } from '#reference/options.ts'
import { createTokenCheck, readTokenFile } from '#reference/token-check.ts'
import { temporaryFile } from '#test/support/temporary-file.ts'
import { send } from './client.ts'
import { profileOf } from './profile-request.ts'
import { runReference } from './running.ts'

const withHeaders = (headers: Readonly<Record<string, string>>) =>
  profileOf({ message: { kind: 'none', token: 'operator-typed' }, headers })

const PROFILE = withHeaders({ Authorization: 'Bearer {token}', 'X-Token': '{token}', 'X-Client': 'wall' })

it('a service with a token answers for every node if each header has the exact token once', async () => {
  const { baseUrl, id } = await runReference({ profile: { name: 'mine', profile: PROFILE }, token: 'abc' })
  const ask = (headers: Readonly<Record<string, string | readonly string[]>>, query = '') =>
    send(`${baseUrl}/node/status${query}`, 'GET', headers)
  const good = { Authorization: 'Bearer abc', 'X-Token': 'abc' }
  expect((await ask(good)).json()['node_id']).toBe(id(0))
  expect((await ask(good, `?node_id=${id(7)}`)).json()['node_id']).toBe(id(7))
  const code = async (headers: Readonly<Record<string, string | readonly string[]>>) => {
    const reply = await ask(headers)
    return [reply.status, reply.json()['code']]
  }
  expect(await code({})).toEqual([401, 'credentials-missing'])
  expect(await code({ Authorization: 'Bearer abc' })).toEqual([401, 'credentials-missing'])
  expect(await code({ 'X-Token': 'abc' })).toEqual([401, 'credentials-missing'])
  for (const wrong of ['abd', 'ab', 'abcd', 'ABC', 'Bearer abc'])
    expect(await code({ ...good, 'X-Token': wrong }), wrong).toEqual([401, 'token-wrong'])
  for (const wrong of ['abc', 'bearer abc', 'Bearer  abc', 'Bearer abd'])
    expect(await code({ ...good, Authorization: wrong }), wrong).toEqual([401, 'token-wrong'])
  expect(await code({ ...good, 'X-Token': ['abc', 'abc'] })).toEqual([401, 'token-wrong'])
})

const refusal = (profile: Parameters<typeof createTokenCheck>[0]): string => {
  try {
    createTokenCheck(profile, 'abc')
    return ''
  } catch (error) {
    return error instanceof OptionsError ? error.message : 'no OptionsError'
  }
}
const NOT_SENT = '--token-file requires a --profile whose headers send {token}.'

it('the token check requires a profile that sends the token, alone in its header', () => {
  expect(refusal(PROFILE)).toBe('')
  expect(refusal(withHeaders({ A: 'x' }))).toBe(NOT_SENT)
  expect(refusal(profileOf({ message: { kind: 'none' }, headers: {} }))).toBe(NOT_SENT)
  expect(
    refusal(profileOf({ message: { kind: 'template', template: 'x' }, headers: { A: '{{token}}' } })),
  ).toBe(NOT_SENT)
  expect(refusal(withHeaders({ 'X-Both': '{token} {ts.s}' }))).toBe(
    '--profile: header X-Both may have {token} and no other placeholder.',
  )
})

describe('a token file', () => {
  const read = (content: string) => readTokenFile(temporaryFile(content))
  const WRONG = err('takes a file with 1 to 4096 visible ASCII characters on one line.')

  it.each([
    ['abc', 'abc'],
    ['abc\n', 'abc'],
    ['abc\r\n', 'abc'],
    ['a b~', 'a b~'],
    ['x'.repeat(4_096), 'x'.repeat(4_096)],
    [`${'x'.repeat(4_096)}\r\n`, 'x'.repeat(4_096)],
  ])('may contain %j', (content, value) => {
    expect(read(content)).toEqual(ok(value))
  })

  it.each([
    '',
    '\n',
    'abc\n\n',
    'a\nb',
    'a\nb\n',
    ' abc',
    'abc ',
    'ä',
    '\nabc',
    'x'.repeat(4_097),
    'x'.repeat(9_000),
  ])('may not contain %j', (content) => {
    expect(read(content)).toEqual(WRONG)
  })
})
