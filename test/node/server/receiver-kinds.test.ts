import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MESSAGE_KINDS, RECEIVER_FORMATS, type MessageReceiver } from '#receivers/kinds.ts'
import { parseReceiver, parseServerFile } from '#settings/documents.ts'
import { ADDRESS_KINDS } from '#settings/receiver-traits.ts'
import { hasAddress, receiverIdOf } from '#settings/receiver.ts'
import { createDeliver } from '#server/deliver.ts'
import { HOSTILE, message as plainMessage } from '#test/core/receivers/message.ts'
import { startMailServer } from '#test/support/mail-stand-in.ts'
import { PROVIDERS, startProvider, type ProviderKind } from '#test/support/receiver-stand-ins.ts'
import { ROOT } from '#test/support/source-tree.ts'
import { ask, ownHeaders } from './http-client.ts'
import { startTestServer } from './test-server.ts'

const KINDS = Object.keys(PROVIDERS).filter((kind): kind is ProviderKind => kind in PROVIDERS)
const LINK = 'https://dash.example/#/alarms?id=a&from=1'

const message = (kind: string, changed: object = {}) => ({
  ...plainMessage({ kind, id: `${kind} 1`, link: LINK }),
  ...changed,
})

/** Hostile texts as long as a message allows. */
const LONGEST = ['😀', '\u200b', '\\', '\u2060', '<', '\u202e'].map((char) => HOSTILE + char.repeat(9_000))
const hostile = (kind: string) =>
  message(kind, {
    title: LONGEST[0],
    facts: [...LONGEST, ...LONGEST].map((text) => ({ name: text, text })),
    missed: 3,
    alarms: [{ id: HOSTILE.repeat(5), title: LONGEST[1], nodeName: LONGEST[2] }, { id: 'b' }],
  })

/** A receiver as parsed from a configuration. */
function receiverOf(kind: string, members: object): MessageReceiver {
  const parsed = parseReceiver({ kind, ...members })
  if (!parsed.ok || hasAddress(parsed.value)) throw new Error(JSON.stringify(parsed))
  return parsed.value
}

function deliverTo(receiver: MessageReceiver) {
  const reports: string[] = []
  const report = (line: string) => void reports.push(line)
  const deliver = createDeliver({ folder: undefined, world: { platform: 'linux', env: {} }, report })
  const send = (body: object, signal = new AbortController().signal, id = 'r1') =>
    deliver({ id, receiver }, JSON.stringify(body), { reach: 'anywhere', signal })
  return { send, reports }
}

async function reach(kind: ProviderKind, isWrong = false) {
  const provider = await startProvider(kind)
  onTestFinished(provider.close)
  const { config, wrong } = PROVIDERS[kind]
  const members = (isWrong ? wrong.config : config)(provider.origin)
  return { ...provider, members, ...deliverTo(receiverOf(kind, members)) }
}

const secretsOf = (kind: ProviderKind, members: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(RECEIVER_FORMATS[kind].fields).flatMap(([name, { secret }]) =>
    secret === undefined ? [] : [String(members[name])],
  )

describe.each(KINDS)('a receiver of the kind %s', (kind) => {
  it.each(['problem', 'reminder', 'acknowledged', 'recovery', 'test'])(
    'accepts a %s, even with hostile names and texts',
    async (what) => {
      const { send, replies } = await reach(kind)
      for (const body of [
        message(what),
        hostile(what),
        // Surrogate pairs start at odd as well as at even code units.
        { ...hostile(what), title: `x${LONGEST[0]}` },
        message(what, { facts: [], alarms: [], link: undefined }),
      ]) {
        const sent = await send({ ...body, id: `${what} ${replies.length}` })
        expect(replies.filter(({ status }) => status >= 300)).toEqual([])
        expect(sent).toMatchObject({ ok: true, value: { retryAfter: undefined } })
      }
      expect(replies.length).toBeGreaterThan(2)
    },
  )

  it('may delay messages with Retry-After, and its redirects are not followed', async () => {
    const { send, answer, provider, accepted } = await reach(kind)
    const { limited, limitedMs } = provider
    answer(limited)
    const retryAfter = limitedMs === undefined ? undefined : String(Math.ceil(limitedMs / 1_000))
    expect(await send(message('problem'))).toMatchObject({ value: { status: 429, retryAfter } })
    answer({ status: 503, body: 'Down' })
    expect(await send(message('problem'))).toMatchObject({ value: { status: 503, text: 'Down' } })
    answer({ status: 302, headers: { location: '/elsewhere' } })
    expect(await send(message('problem'))).toMatchObject({ value: { status: 302 } })
    answer('never')
    expect(await send(message('problem'), AbortSignal.timeout(50))).toEqual({ ok: false, error: 'gone' })
    expect(accepted).toEqual([])
    answer(undefined)
    expect(await send(message('problem'))).toMatchObject({ ok: true })
    expect(accepted).toHaveLength(1)
  })

  it('that refuses its credentials keeps its messages, and its answer has no secret', async () => {
    const { send, replies, members, reports, provider } = await reach(kind, true)
    const sent = await send(message('problem'))
    expect(replies.map(({ status }) => status)).toEqual([provider.wrong.status])
    const status = [200, 204, 400].includes(provider.wrong.status) ? 503 : provider.wrong.status
    expect(sent).toMatchObject({ ok: true, value: { status } })
    for (const secret of secretsOf(kind, members))
      expect(JSON.stringify([sent, reports])).not.toContain(secret)
  })
})

describe('an answer', () => {
  it.each<readonly [ProviderKind, number, unknown, 'is sent again' | 'is dropped']>([
    ['apprise', 424, { error: 'One of them failed' }, 'is dropped'],
    ['apprise', 500, {}, 'is sent again'],
    ['discord', 404, { message: 'Unknown Webhook', code: 10_015 }, 'is sent again'],
    ['discord', 400, { message: 'Invalid Form Body', code: 50_035 }, 'is dropped'],
    ['discord', 400, { message: 'Webhooks posted to forum channels must…', code: 220_001 }, 'is sent again'],
    ['gotify', 400, { errorDescription: 'appid is required when …' }, 'is sent again'],
    ['gotify', 400, { errorDescription: "Field 'message' is required" }, 'is dropped'],
    ['gotify', 403, { error: 'Forbidden', errorCode: 403 }, 'is sent again'],
    ['matrix', 403, { errcode: 'M_FORBIDDEN' }, 'is sent again'],
    ['matrix', 400, { errcode: 'M_NOT_FOUND' }, 'is sent again'],
    ['matrix', 400, { errcode: 'M_UNKNOWN' }, 'is dropped'],
    ['matrix', 413, { errcode: 'M_TOO_LARGE' }, 'is dropped'],
    ['ntfy', 400, { code: 40_010, http: 400 }, 'is sent again'],
    ['ntfy', 400, { code: 40_017, http: 400 }, 'is dropped'],
    ['ntfy', 507, { code: 50_701, http: 507 }, 'is sent again'],
    ['pagerduty', 400, { errors: ["'payload.summary' is missing or blank"] }, 'is dropped'],
    ['pagerduty', 400, { errors: ["Length of 'routing_key' is incorrect"] }, 'is sent again'],
    ['pushover', 400, { token: 'invalid', status: 0 }, 'is sent again'],
    ['pushover', 400, { message: 'cannot be blank', status: 0 }, 'is dropped'],
    ['slack-bot', 200, { ok: false, error: 'channel_not_found' }, 'is sent again'],
    ['slack-bot', 200, { ok: false, error: 'msg_too_long' }, 'is dropped'],
    ['slack-bot', 200, { ok: false, error: 'thread_not_found' }, 'is dropped'],
    ['teams', 400, { error: { code: 'WorkflowTriggerIsNotEnabled' } }, 'is sent again'],
    ['teams', 400, { error: { code: 'TriggerInputSchemaMismatch' } }, 'is dropped'],
    ['teams', 404, { error: { code: 'WorkflowNotFound' } }, 'is sent again'],
    ['telegram', 400, { description: 'Bad Request: chat not found' }, 'is sent again'],
    ['telegram', 400, { description: "Bad Request: can't parse entities" }, 'is dropped'],
    ['telegram', 403, { description: 'Forbidden: bot was blocked by the user' }, 'is sent again'],
  ])('of %s with %d %j: the message %s', async (kind, status, body, outcome) => {
    const { send, answer } = await reach(kind)
    answer({ status, body })
    const sent = await send(message('problem'))
    // With these statuses the queue drops a message after three attempts.
    const isDropped = sent.ok && [400, 413, 422].includes(sent.value.status)
    expect(isDropped ? 'is dropped' : 'is sent again').toBe(outcome)
    expect(sent).toMatchObject({ value: { text: JSON.stringify(body) } })
  })

  it('that a Discord webhook is unknown delays the next attempt by an hour', async () => {
    const { send, answer } = await reach('discord')
    answer({ status: 404, body: { message: 'Unknown Webhook', code: 10_015 } })
    expect(await send(message('problem'))).toMatchObject({ value: { status: 404, retryAfter: '3600' } })
  })

  it.each(['discord', 'slack', 'teams', 'telegram'] as const)(
    'of a wrong web server is masked: it has no secret of %s',
    async (kind) => {
      const { send, answer, members, accepted } = await reach(kind)
      const [secret = ''] = secretsOf(kind, members)
      await send(message('problem'))
      const asked = accepted[0]?.url
      answer({ status: 404, body: `Cannot POST ${asked?.pathname}${asked?.search} at ${secret}` })
      const sent = await send(message('problem'))
      expect(sent).toMatchObject({ value: { status: 404 } })
      expect(JSON.stringify(sent)).not.toMatch(/discord-secret|slack-secret|teams-secret|AAHdqT/)
    },
  )
})

describe('later messages about an alarm', () => {
  const conversation = async (kind: ProviderKind) => {
    const { send, accepted } = await reach(kind)
    await send(message('problem', { id: '1' }))
    await send(message('problem', { id: '2', reason: 'worse' }))
    await send(message('recovery', { id: '3' }))
    await send(message('problem', { id: '4' }))
    return accepted.map(({ body }) => body)
  }

  it('reply to the first in Telegram', async () => {
    const replies = (await conversation('telegram')).map((body) => body['reply_parameters'])
    const toFirst = { message_id: 1, allow_sending_without_reply: true }
    expect(replies).toEqual([undefined, toFirst, toFirst, undefined])
  })

  it('are in the thread of the first in Slack', async () => {
    const threads = (await conversation('slack-bot')).map((body) => body['thread_ts'])
    const first = '1503435956.000001'
    expect(threads).toEqual([undefined, first, first, undefined])
  })

  it('are in its thread in Matrix, where a repeated message is one event', async () => {
    const related = (await conversation('matrix')).map((body) => body['m.relates_to'])
    const inThread = expect.objectContaining({ rel_type: 'm.thread', event_id: '$event1' })
    expect(related).toEqual([undefined, inThread, inThread, undefined])
    const { send, accepted, replies } = await reach('matrix')
    await send(message('problem'))
    await send(message('problem'))
    expect([accepted.length, replies.length]).toEqual([1, 2])
  })

  it('trigger, acknowledge and resolve the incident of each alarm in PagerDuty', async () => {
    const { send, accepted } = await reach('pagerduty')
    const alarms = [
      { id: 'a', severity: 'warning', title: 'Heartbeat too old, alpha', link: '{}' },
      { id: 'b' },
    ]
    await send(message('problem', { alarms, title: 'Critical: 2 problems' }))
    await send(message('acknowledged', { alarms: [{ id: 'a' }] }))
    await send(message('recovery', { alarms }))
    expect(accepted.map(({ body }) => [body['event_action'], body['dedup_key']])).toEqual([
      ['trigger', 'a'],
      ['trigger', 'b'],
      ['acknowledge', 'a'],
      ['resolve', 'a'],
      ['resolve', 'b'],
    ])
    expect(accepted.slice(0, 2).map(({ body }) => body['payload'])).toMatchObject([
      { severity: 'warning', summary: 'Heartbeat too old, alpha' },
      { severity: 'critical', summary: 'Critical: 2 problems' },
    ])
    const storm = Array.from({ length: 50 }, (_, index) => ({ id: `s${index}` }))
    await send(message('problem', { id: 'storm', alarms: storm }))
    expect(accepted).toHaveLength(55)
    await send(message('problem', { id: 'storm', alarms: storm }), undefined, 'another receiver')
    expect(accepted).toHaveLength(105)
  })
})

it.each<readonly [ProviderKind, string, RegExp]>([
  ['apprise', 'body', /:\/\/evil/],
  ['discord', 'content', /(?<!\\)[*_~`|<@[#]|:\/\/evil/],
  ['gotify', 'message', /:\/\/evil/],
  ['matrix', 'formatted_body', /<b>x|@|:\/\/evil/],
  ['matrix', 'body', /:\/\/evil/],
  ['ntfy', 'message', /:\/\/evil/],
  ['slack', 'text', /<[!@b/]|@|\*|`|:\/\/evil/],
  ['slack', 'attachments', /<[!@b/]|@|`|:\/\/evil/],
  ['pushover', 'message', /:\/\/evil/],
  ['telegram', 'text', /<b>x|@|:\/\/evil/],
])(
  'names and texts of a service are no markup, mention or link for %s in %s',
  async (kind, member, isRead) => {
    const { send, accepted } = await reach(kind)
    await send(message('problem', { title: HOSTILE, facts: [{ name: 'Node', text: HOSTILE }] }))
    const found = accepted[0]?.body[member]
    const text = typeof found === 'string' ? found : JSON.stringify(found)
    expect(text).toContain('Subject: x')
    expect(text).not.toMatch(isRead)
    expect(text).not.toContain('\u202e')
  },
)

describe('a mail about an alarm', () => {
  const LOGIN = { user: 'dash', password: 'mail-secret-1' }
  const mailbox = async (members: object = {}) => {
    const server = await startMailServer({ security: 'none', login: LOGIN })
    onTestFinished(server.close)
    const receiver = receiverOf('email', {
      to: 'ops@example.org, lead@example.org',
      from: 'dashboard@example.org',
      host: '127.0.0.1',
      port: server.port,
      security: 'none',
      ...LOGIN,
      ...members,
    })
    return { ...server, ...deliverTo(receiver) }
  }
  const headerOf = (mail: string, name: string): string | undefined =>
    new RegExp(`^${name}: (.*)`, 'm').exec(mail.replace(/\r\n[ \t]/g, ' '))?.[1]?.trim()

  it('has its content as text and HTML, and a recovery refers to the problem', async () => {
    const { send, mails } = await mailbox()
    await send(message('problem', { id: '1' }))
    const facts = [{ name: '<Node>', text: '<alpha> & "beta"' }]
    await send(message('recovery', { id: '2', title: 'Recovered: <alpha> & "beta"', facts }))
    expect(mails).toHaveLength(2)
    const [problem = '', recovery = ''] = mails
    expect(headerOf(problem, 'Subject')).toBe('Critical: Heartbeat too old, alpha')
    expect(problem).toContain('Value: 3 m 20 s, limit 3 m 00 s')
    expect(problem).toContain(`\r\n${LINK}`)
    expect(recovery).toContain('<strong>Recovered: &lt;alpha&gt; &amp; &quot;beta&quot;</strong>')
    expect(recovery).toContain('&lt;Node&gt;: &lt;alpha&gt; &amp; &quot;beta&quot;')
    expect(headerOf(problem, 'Message-ID')).toMatch(/^<[\da-f]{16}@example\.org>$/)
    expect(headerOf(problem, 'References')).toBeUndefined()
    expect(headerOf(recovery, 'References')).toBe(headerOf(problem, 'Message-ID'))
  })

  it('has only the headers of the dashboard, even with hostile names', async () => {
    const { send, mails } = await mailbox()
    expect(await send(hostile('problem'))).toMatchObject({ ok: true, value: { status: 250 } })
    const [head = ''] = (mails[0] ?? '').split('\r\n\r\n')
    expect(headerOf(head, 'To')).toBe('ops@example.org, lead@example.org')
    expect(head.match(/^Subject:/gm)).toHaveLength(1)
  })

  it('is dropped if its content is refused, and kept otherwise', async () => {
    const { send, answer, reports } = await mailbox()
    answer(554, 'Looks like spam')
    expect(await send(message('problem'))).toMatchObject({
      value: { status: 422, text: '554 Looks like spam' },
    })
    answer(451, 'Greylisted')
    expect(await send(message('problem'))).toMatchObject({ value: { status: 451 } })
    const { send: sendWrongly } = await mailbox({ password: 'other-secret-2' })
    const refused = await sendWrongly(message('problem'))
    expect(refused).toMatchObject({ value: { status: 535 } })
    expect(JSON.stringify([refused, reports])).not.toContain('other-secret-2')
  })
})

it('docs/notifications.md has a valid example of each receiver kind', () => {
  const text = readFileSync(join(ROOT, 'docs/notifications.md'), 'utf8')
  const kinds = Array.from(text.matchAll(/^```json\n(.*?)^```/gms)).flatMap(([, example = '']) => {
    const parsed = parseServerFile({ version: 1, ...JSON.parse(example) })
    return parsed.ok ? parsed.value.receivers.map(({ kind }) => kind) : [example]
  })
  expect(Array.from(new Set(kinds)).toSorted()).toEqual([...ADDRESS_KINDS, ...MESSAGE_KINDS].toSorted())
})

it('the relay delivers to every receiver kind and shows pages no secret', async () => {
  const providers = await Promise.all(KINDS.map((kind) => startProvider(kind)))
  const members = KINDS.map((kind, index) => PROVIDERS[kind].config(providers[index]?.origin ?? ''))
  const receivers = KINDS.map((kind, index) => receiverOf(kind, members[index] ?? {}))
  const { url, host } = await startTestServer({ receivers })
  for (const receiver of receivers) {
    const sent = await ask(url, `/relay/${receiverIdOf(receiver)}`, {
      method: 'POST',
      headers: ownHeaders(host),
      body: JSON.stringify(message('problem')),
    })
    expect([receiver.kind, sent.status < 300]).toEqual([receiver.kind, true])
  }
  for (const { accepted, close } of providers) {
    expect(accepted).toHaveLength(1)
    close()
  }
  const offered = (await ask(url, '/receivers')).body.toString()
  for (const [index, kind] of KINDS.entries())
    for (const secret of secretsOf(kind, members[index] ?? {})) expect(offered).not.toContain(secret)
})
