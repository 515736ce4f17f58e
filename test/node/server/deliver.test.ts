import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { parseReceiver } from '#settings/documents.ts'
import { isWrittenByServer } from '#settings/receiver.ts'
import { createDeliver } from '#server/deliver.ts'
import { openThreads } from '#server/message-threads.ts'
import { hostile, message } from '#test/core/receivers/message.ts'
import { receiver, type Taken } from './stand-in.ts'
import { temporaryFolder } from './test-server.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, taken: Taken) => void

/** Delivers through the real HTTP client. */
function deliverer(env: Readonly<Record<string, string>> = {}, folder?: string) {
  const reports: string[] = []
  const report = (line: string) => reports.push(line)
  const deliver = createDeliver({
    folder,
    world: { platform: process.platform, env },
    report,
  })
  const send = async (config: object, body: object = message(), signal = new AbortController().signal) => {
    const parsed = parseReceiver(config)
    if (!parsed.ok || !isWrittenByServer(parsed.value)) throw new Error(JSON.stringify(parsed))
    return deliver({ id: 'r1', receiver: parsed.value }, JSON.stringify(body), { reach: 'anywhere', signal })
  }
  return { send, reports }
}

const members = (text: string): Record<string, unknown> => Object(JSON.parse(text))

/** Mattermost answers as Slack does; Rocket.Chat answers JSON. Both read `channel`. */
const ROCKET_CHAT: Answer = (_request, response, { body }) =>
  typeof members(body)['channel'] === 'string'
    ? response.setHeader('content-type', 'application/json').end('{"success":true}')
    : response.writeHead(400).end('{"success":false,"error":"invalid-channel"}')

describe('a receiver whose messages the server renders', () => {
  it('may be Rocket.Chat, which accepts Slack’s messages with a channel', async () => {
    const { url } = await receiver(ROCKET_CHAT)
    const statusTo = async (more: object) => deliverer().send({ kind: 'slack', url, ...more })
    expect(await statusTo({ channel: '#ops' })).toMatchObject({ value: { text: '{"success":true}' } })
    expect(await statusTo({})).toMatchObject({ value: { status: 400 } })
  })

  it('that answers with another 4xx than 400 refuses that message only', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(418).end('why'))
    const sent = await deliverer().send({ kind: 'slack', url })
    expect(sent).toMatchObject({ value: { status: 422, text: 'why' } })
  })

  it('has its secret read at use, masked in answers and reported if missing', async () => {
    const { url, taken } = await receiver((request, response) => response.end(`no ${url}${request.url} here`))
    const { send } = deliverer({ SLACK_URL: `${url}/secret-token` })
    const sent = await send({ kind: 'slack', url: 'env:SLACK_URL' })
    expect(taken[0]?.path).toBe('/secret-token')
    expect(sent).toMatchObject({ value: { status: 200, text: 'no *** here' } })
    const missing = deliverer()
    expect(await missing.send({ kind: 'slack', url: 'env:SLACK_URL' })).toMatchObject({
      value: { status: 503 },
    })
    expect(missing.reports).toEqual(['receiver slack: env:SLACK_URL: this variable is not set.'])
  })

  it('has its secret masked even if the answer repeats it percent-encoded', async () => {
    const { url } = await receiver((_request, response) =>
      response.writeHead(404).end('no tk_a%2Fb%3Dc here'),
    )
    const sent = await deliverer().send({ kind: 'ntfy', url, topic: 'x', token: 'tk_a/b=c' })
    expect(sent).toMatchObject({ value: { text: 'no *** here' } })
  })

  it('is sent only documents that are messages', async () =>
    expect(
      await deliverer().send({ kind: 'slack', url: 'http://127.0.0.1:1/' }, { version: 2 }),
    ).toMatchObject({
      value: { status: 400 },
    }))
})

it('message threads survive a restart, up to 2,000 of them', async () => {
  const folder = await temporaryFolder()
  const threads = openThreads(folder, () => undefined)
  threads.put('r1', ['a', 'b'], 't1')
  threads.put('r2', ['a'], 't2')
  const again = openThreads(folder, () => undefined)
  expect([again.of('r1', 'b'), again.of('r2', 'a'), again.of('r2', 'b')]).toEqual(['t1', 't2', undefined])
  const later = Array.from({ length: 1_998 }, (_, index) => `later ${index}`)
  again.put('r1', later, 't3')
  // The oldest of 2,001 is forgotten.
  expect([again.of('r1', 'a'), again.of('r1', 'b')]).toEqual([undefined, 't1'])
})

describe('a webhook', () => {
  const signatureOf = (signed: string): string =>
    `sha256=${createHmac('sha256', '0123456789abcdef').update(signed).digest('hex')}`

  it('with a secret receives the message unchanged, signed together with the time', async () => {
    const { url, taken } = await receiver((_request, response) => response.end('not with 0123456789abcdef'))
    const body = { ...message(), group: 'g', count: 1 }
    const { send } = deliverer({ HOOK: '0123456789abcdef' })
    const sent = await send({ kind: 'webhook', url, secret: 'env:HOOK' }, body)
    expect(sent).toMatchObject({ value: { status: 200, text: 'not with ***' } })
    const { headers = {}, body: got = '' }: Partial<Taken> = taken[0] ?? {}
    expect(JSON.parse(got)).toEqual(body)
    const time = String(headers['x-immune-timestamp'])
    expect(headers['x-immune-signature']).toBe(signatureOf(`${time}.${got}`))
    expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(60)
  })

  it('with a template receives it filled in, where hostile names cannot add members', async () => {
    const { url, taken } = await receiver()
    const template = {
      text: '{{title}} {{ severity }}',
      more: [{ of: '{{count}}/{{alarm}}' }, 5, null],
      '{{id}}': true,
    }
    const { title } = hostile()
    await deliverer().send({ kind: 'webhook', url, template }, hostile())
    expect(JSON.parse(taken[0]?.body ?? '')).toEqual({
      text: `${title} critical`,
      more: [{ of: '1/a1' }, 5, null],
      '{{id}}': true,
    })
    expect(taken[0]?.headers).not.toHaveProperty('x-immune-signature')
    const signing = deliverer({ HOOK: '0123456789abcdef' })
    await signing.send({ kind: 'webhook', url, template, secret: 'env:HOOK' }, hostile())
    const { headers = {}, body = '' }: Partial<Taken> = taken[1] ?? {}
    const signed = `${String(headers['x-immune-timestamp'])}.${body}`
    expect(headers['x-immune-signature']).toBe(signatureOf(signed))
  })

  it.each([
    [{ template: '{"a": "{{titel}}"}' }, 'template', /unknown placeholder \{\{titel\}\}: use id, kind/],
    [{ template: { a: '{{constructor}}' } }, 'template', /unknown placeholder/],
    [{ template: '{"a": {{title}}}' }, 'template', /is not JSON/],
    [{ template: '['.repeat(16_000) }, 'template', /is not JSON/],
    [{ template: { a: 'x'.repeat(16_384) } }, 'template', /16384/],
    [{ template: { a: '{{facts}}'.repeat(101) } }, 'template', /more than 100 placeholders/],
    [{ secret: 'a\nb' }, 'secret', /more than one line/],
    [{ secret: 's', via: 'direct' }, 'via', /only the server signs/],
    [{ template: {}, via: 'direct' }, 'via', /only the server signs/],
  ])('cannot have %j', (given, path, problem) => {
    expect(parseReceiver({ kind: 'webhook', url: 'https://a.example', ...given })).toMatchObject({
      error: [{ path, message: expect.stringMatching(problem) }],
    })
  })
})
