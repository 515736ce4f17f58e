import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { silenceOf } from '#delivery/alertmanager.ts'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { readSilence } from '#server/silences.ts'
import { ask } from './http-client.ts'
import { receiver, silenceFromNow } from './stand-in.ts'
import { startTestServer } from './test-server.ts'

const NOW_MS = Date.parse('2026-06-01T12:00:00Z')
const HOUR_MS = 3_600_000

const made = (more: Partial<Parameters<typeof silenceOf>[0]> = {}) =>
  silenceOf({
    id: '',
    alarm: 'node/0xaa/stake',
    severity: 'critical',
    comment: 'Acknowledged on the dashboard: seen',
    startsWallMs: NOW_MS,
    endsWallMs: NOW_MS + HOUR_MS,
    ...more,
  })

describe('a relayed silence', () => {
  it('is that of the page, with the signed-in user as its author', () => {
    const document = { ...made({ id: 'f9' }), createdBy: 'anna' }
    expect(readSilence({ ...made({ id: 'f9' }), secret: 1 }, 'anna', NOW_MS)).toEqual(
      ok({ id: 'f9', document }),
    )
    expect(readSilence(made(), 'anna', NOW_MS).ok).toBe(true)
    const ended = readSilence(made({ id: 'f9', endsWallMs: NOW_MS - HOUR_MS }), 'anna', NOW_MS)
    expect(ended).toMatchObject(ok({ document: { endsAt: new Date(NOW_MS + 30_000).toISOString() } }))
  })

  const [alarm, severity] = made().matchers
  it.each<[string, object]>([
    ['of everything', { matchers: [{ name: 'alarm', value: '.*', isRegex: true, isEqual: true }, severity] }],
    ['of every severity', { matchers: [alarm, { ...severity, value: '.+', isRegex: true }] }],
    ['with a negated matcher', { matchers: [{ ...alarm, isEqual: false }, severity] }],
    ['whose isEqual is not a boolean', { matchers: [{ ...alarm, isEqual: 'false' }, severity] }],
    ['without isRegex', { matchers: [{ name: 'alarm', value: 'a' }, severity] }],
    ['of an empty alarm', { matchers: [{ ...alarm, value: '' }, severity] }],
    ['of one severity', { matchers: [severity] }],
    ['of one severity twice', { matchers: [severity, severity] }],
    ['of another label', { matchers: [{ ...alarm, name: 'job' }, severity] }],
    ['of an additional label', { matchers: [alarm, severity, { ...alarm, name: 'job' }] }],
    ['with an empty list of matchers', { matchers: [] }],
    ['without matchers', { matchers: undefined }],
    ['with matchers that are not a list', { matchers: { length: 2 } }],
    ['until 2099', { endsAt: '2099-01-01T00:00:00Z' }],
    ['for more than two hours', { endsAt: new Date(NOW_MS + 2 * HOUR_MS + 1).toISOString() }],
    [
      'that starts on another day',
      {
        startsAt: new Date(NOW_MS + 24 * HOUR_MS).toISOString(),
        endsAt: new Date(NOW_MS + 25 * HOUR_MS).toISOString(),
      },
    ],
    ['without an end', { endsAt: '' }],
    ['with an invalid end', { endsAt: 9e15 }],
    ['with an invalid start', { startsAt: 'x' }],
    ['with an invalid id', { id: 7 }],
    ['with an empty id', { id: '' }],
    ['without a comment', { comment: undefined }],
    ['with a long comment', { comment: 'x'.repeat(4_097) }],
  ])('may not be one %s', (_name, more) => {
    expect(readSilence({ ...made(), ...more }, 'anna', NOW_MS).ok).toBe(false)
  })

  it.each([undefined, null, 7, 'x', []])('may not be %j', (given) =>
    expect(readSilence(given, 'anna', NOW_MS).ok).toBe(false),
  )
})

/** An Alertmanager, and a dashboard whose users a reverse proxy names. */
async function silencing() {
  const silences = new Map<string, Record<string, unknown>>()
  const { url } = await receiver((_request, response, { method, path, body }) => {
    const [, id = ''] = path.split('/silence/')
    if (method === 'GET') {
      const found = silences.get(id)
      return found === undefined ? response.writeHead(404).end() : response.end(JSON.stringify(found))
    }
    const given: Record<string, unknown> = JSON.parse(body)
    const silenceID = typeof given['id'] === 'string' ? given['id'] : `a${silences.size}`
    silences.set(silenceID, given)
    return response.end(JSON.stringify({ silenceID }))
  })
  const listed: Receiver = { kind: 'alertmanager', url, via: 'relay' }
  const server = await startTestServer({
    access: { kind: 'header', name: 'X-User' },
    trustFrom: ['127.0.0.1'],
    receivers: [listed],
  })
  const send = async (user: string, silence: object) => {
    const headers = { 'x-user': user, origin: `http://${server.host}`, 'content-type': 'application/json' }
    const path = `/relay/${receiverIdOf(listed)}/silences`
    const answer = await ask(server.url, path, { method: 'POST', headers, body: JSON.stringify(silence) })
    return [answer.status, answer.body.toString()]
  }
  return { silences, send }
}

it('a silence can be changed and ended only by its author; others get 404', async () => {
  const { silences, send } = await silencing()
  expect(await send('anna', { ...silenceFromNow(), createdBy: 'ben' })).toEqual([200, '{"silenceID":"a0"}'])
  expect(silences.get('a0')).toMatchObject({ createdBy: 'anna' })
  const before = silences.get('a0')
  expect(await send('ben', silenceFromNow('a0'))).toEqual([404, ''])
  expect(silences.get('a0')).toBe(before)
  expect(await send('anna', silenceFromNow('a0'))).toEqual([200, '{"silenceID":"a0"}'])
  for (const id of ['b1', '../../x']) expect(await send('anna', silenceFromNow(id))).toEqual([404, ''])
})

it('a silence made elsewhere cannot be changed here, even by the user that it names', async () => {
  const { silences, send } = await silencing()
  const other = { createdBy: 'anna', matchers: [{ name: 'job', value: 'x', isRegex: false }] }
  silences.set('f9', other)
  expect(await send('anna', silenceFromNow('f9'))).toEqual([404, ''])
  expect(await send('anna', { ...silenceFromNow(), matchers: [] })).toEqual([400, expect.any(String)])
  expect(Array.from(silences)).toEqual([['f9', other]])
})
