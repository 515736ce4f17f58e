import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { receiverIdOf, RECEIVERS_MAX } from '#settings/receiver.ts'
import { NO_FILE } from '#server/config-file.ts'
import { openReceivers } from '#server/receivers.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { configFileWith, startTestServer, temporaryFolder } from './test-server.ts'
import { valueOf } from '#test/support/value-of.ts'

type Running = { readonly url: string; readonly host: string }

const post = ({ url, host }: Running, path: string, body: object) =>
  ask(url, path, { method: 'POST', headers: ownHeaders(host), body: JSON.stringify(body) })
const add = (server: Running, receiver: unknown) => post(server, '/receivers', { receiver })
const remove = ({ url, host }: Running, id: string) =>
  ask(url, `/receivers?id=${id}`, { method: 'DELETE', headers: ownHeaders(host) })
const list = async ({ url }: Running) =>
  json(await ask(url, '/receivers', { headers: { 'sec-fetch-site': 'same-origin' } }))
const enginePolicy = async ({ url }: Running) =>
  (await ask(url, '/assets/engine-worker-1.js')).headers['content-security-policy']

const HOOK = { kind: 'webhook', url: 'https://hooks.example/T1?key=secret' } as const
const PAGER = { kind: 'alertmanager', url: 'http://127.0.0.1:9093/', via: 'direct' } as const

describe('receivers of a configuration', () => {
  it('are listed without their URLs, except direct ones', async () => {
    const { opened } = await configFileWith({ version: 1, receivers: [{ ...HOOK, name: 'Chat' }, PAGER] })
    const server = await startTestServer({ configFile: valueOf(opened) })
    expect(await list(server)).toEqual({
      canAdd: true,
      receivers: [
        {
          id: receiverIdOf(HOOK),
          kind: 'webhook',
          via: 'relay',
          host: 'hooks.example',
          from: 'file',
          name: 'Chat',
        },
        {
          id: receiverIdOf(PAGER),
          kind: 'alertmanager',
          via: 'direct',
          host: '127.0.0.1:9093',
          from: 'file',
          url: PAGER.url,
        },
      ],
    })
    expect((await ask(server.url, '/config.json')).body.toString()).not.toContain('receivers')
    await remove(server, receiverIdOf(HOOK))
    expect(await list(server)).toMatchObject({ receivers: [{ from: 'file' }, { from: 'file' }] })
  })

  it('are limited, with direct services, so that all response headers fit into 4 KiB', async () => {
    const long = (name: string) => ({
      kind: 'webhook',
      via: 'direct',
      url: `https://${name}.example/${'a'.repeat(1_000)}`,
    })
    const server = await startTestServer()
    expect((await add(server, long('a'))).status).toBe(200)
    expect((await add(server, long('b'))).status).toBe(200)
    const refused = await add(server, long('c'))
    expect([refused.status, json(refused)]).toMatchObject([
      400,
      {
        problems: [
          { path: 'receiver.url', message: expect.stringMatching(/2560 characters.*"via": "relay"/) },
        ],
      },
    ])
    // Listed receivers can be changed, and relayed ones need no room.
    expect((await add(server, { ...long('b'), name: 'B' })).status).toBe(200)
    expect((await add(server, { ...long('c'), via: 'relay' })).status).toBe(200)
    const service = {
      baseUrl: `http://${'s'.repeat(60)}.${'s'.repeat(60)}.${'s'.repeat(60)}.example`,
      via: 'direct',
    }
    const statuses: number[] = []
    for (const port of [1, 2, 3]) {
      const added = { ...service, baseUrl: `${service.baseUrl}:${port}` }
      statuses.push((await post(server, '/services', { service: added })).status)
    }
    expect(statuses).toEqual([200, 200, 400])
    const { headers } = await ask(server.url, '/assets/engine-worker-1.js')
    const bytes = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`.length)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(4_096)
  })

  it('let the engine Worker connect to exactly the paths of direct ones', async () => {
    const server = await startTestServer({
      receivers: [
        { ...HOOK, via: 'direct', url: 'https://hooks.example/a;b,c?key=1' },
        { ...PAGER },
        { ...HOOK, via: 'relay' },
      ],
    })
    expect(await enginePolicy(server)).toContain(
      "connect-src 'self' https://hooks.example/a%3Bb%2Cc http://127.0.0.1:9093/api/v2/alerts http://127.0.0.1:9093/api/v2/silences;",
    )
  })

  it.each([
    ['receivers.0.url', { kind: 'webhook', url: 'ftp://x' }],
    ['receivers.0.kind', { kind: 'pigeon', url: 'https://x.example' }],
    ['receivers.0.via', { kind: 'webhook', url: 'http://[::1]:1/', via: 'direct' }],
  ])('that are invalid are reported: %s', async (path, receiver) => {
    const { opened } = await configFileWith({ version: 1, receivers: [receiver] })
    expect(opened.ok ? '' : opened.error.join()).toContain(path)
  })
})

describe('receivers that a browser adds', () => {
  it('are stored in a file, changed by adding them again, and removed', async () => {
    const dataFolder = await temporaryFolder()
    const server = await startTestServer({ dataFolder })
    const added = await add(server, HOOK)
    expect(json(added)).toMatchObject({
      id: receiverIdOf(HOOK),
      receivers: [{ from: 'added', url: HOOK.url }],
    })
    await add(server, { ...HOOK, name: 'Chat' })
    const again = await startTestServer({ dataFolder })
    expect(await list(again)).toMatchObject({ receivers: [{ name: 'Chat', url: HOOK.url }] })
    expect((await remove(again, receiverIdOf(HOOK))).status).toBe(200)
    expect(await list(again)).toMatchObject({ receivers: [] })
    expect(JSON.parse(await readFile(join(dataFolder, 'receivers.json'), 'utf8'))).toEqual({ receivers: [] })
  })

  it('that the configuration has too are listed once, as from the file', async () => {
    const server = await startTestServer({ receivers: [{ ...HOOK, via: 'relay' }] })
    await add(server, { ...HOOK, name: 'Mine' })
    expect(await list(server)).toMatchObject({ receivers: [{ from: 'file' }] })
  })
})

it('receivers are limited per account, and in total to 16 full accounts', () => {
  const receivers = openReceivers(NO_FILE, undefined, () => undefined)
  const put = (owner: string | undefined, at: number) =>
    receivers.add(owner, { ...HOOK, via: 'relay', url: `https://n${at}.example/` })
  const accounts = Array.from({ length: 16 }, (_, index) => `a${index}`)
  for (const account of accounts)
    expect(Array.from({ length: RECEIVERS_MAX + 1 }, (_, at) => put(account, at)).lastIndexOf(true)).toBe(
      RECEIVERS_MAX - 1,
    )
  expect(put('one more', 0)).toBe(false)
})

describe('a receiver whose messages the server renders', () => {
  const GOTIFY = { kind: 'gotify', url: 'https://push.example/', token: 'AbCdEf123456789' }
  const edit = (server: Running, id: string, receiver: unknown) =>
    post(server, `/receivers?id=${id}`, { receiver })

  it('hides its secret, keeps it on edits and requires it again for another server', async () => {
    const folder = await temporaryFolder()
    const server = await startTestServer({ dataFolder: folder })
    const [added] = Object(json(await add(server, GOTIFY))).receivers
    expect(added).toMatchObject({ host: 'push.example', members: { url: GOTIFY.url } })
    expect(JSON.stringify(await list(server))).not.toContain(GOTIFY.token)
    const { token: _, ...unseen } = GOTIFY
    const [named] = Object(json(await edit(server, added.id, { ...unseen, name: 'Phone' }))).receivers
    expect(named).toMatchObject({ name: 'Phone' })
    expect(await readFile(join(folder, 'receivers.json'), 'utf8')).toContain(GOTIFY.token)
    const moved = await edit(server, named.id, { ...unseen, url: 'https://attacker.example/' })
    expect([moved.status, Object(json(moved)).problems]).toMatchObject([400, [{ path: 'receiver.token' }]])
  })

  it('loses an optional secret if an edit sets it to null', async () => {
    const folder = await temporaryFolder()
    const server = await startTestServer({ dataFolder: folder })
    const ntfy = { kind: 'ntfy', topic: 'ops-8f2c', url: 'https://ntfy.example' }
    const [added] = Object(json(await add(server, { ...ntfy, token: 'tk_secret' }))).receivers
    const edited = { kind: ntfy.kind, url: ntfy.url, token: null }
    expect((await edit(server, added.id, edited)).status).toBe(200)
    const stored = await readFile(join(folder, 'receivers.json'), 'utf8')
    expect(stored).toContain(ntfy.topic)
    expect(stored).not.toMatch(/tk_secret|null/)
  })

  it('cannot name a secret of the server unless it is in the configuration', async () => {
    const server = await startTestServer()
    const refused = await add(server, { ...GOTIFY, token: 'file:/etc/passwd' })
    expect([refused.status, Object(json(refused)).problems]).toMatchObject([
      400,
      [{ path: 'receiver.token' }],
    ])
  })
})
