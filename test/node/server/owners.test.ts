import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { serviceIdOf } from '#record/service.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { startTestServer, temporaryFolder, type TestServerOptions } from './test-server.ts'

const HOOK: Receiver = { kind: 'webhook', url: 'https://hooks.example/T1?key=secret', via: 'relay' }
const PAGER: Receiver = { kind: 'webhook', url: 'https://pager.example/secret-path', via: 'direct' }
const SERVICE = { baseUrl: 'https://node.example/secret' }
const DIRECT = { baseUrl: 'https://direct-secret.example', via: 'direct' }

/** A dashboard whose users a reverse proxy names. */
async function shared(options: TestServerOptions = {}) {
  const server = await startTestServer({
    access: { kind: 'header', name: 'X-User' },
    trustFrom: ['127.0.0.1'],
    addServices: 'always',
    ...options,
  })
  const as = (user: string) => {
    const headers = { 'x-user': user, ...ownHeaders(server.host) }
    const send = (method: string, path: string, body?: object) =>
      ask(server.url, path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const everything = async () => {
      const answers = await Promise.all(
        ['/services', '/receivers', '/config.json', '/', '/assets/engine-worker-1.js'].map((path) =>
          send('GET', path),
        ),
      )
      return answers
        .map(({ headers: sent, body }) => JSON.stringify({ ...sent, date: undefined }) + body.toString())
        .join()
    }
    return { send, everything }
  }
  return { ...server, as }
}

it('entries of one account cannot be read, removed or used by another', async () => {
  const dataFolder = await temporaryFolder()
  const { as } = await shared({ dataFolder })
  const [one, other] = [as('one'), as('other')]
  for (const receiver of [HOOK, PAGER])
    expect((await one.send('POST', '/receivers', { receiver })).status).toBe(200)
  for (const service of [SERVICE, DIRECT])
    expect((await one.send('POST', '/services', { service })).status).toBe(200)
  const mine = await one.everything()
  expect(mine).toContain('T1?key=secret')
  expect(mine).toContain('secret-path')
  expect(mine).toContain('direct-secret.example')
  expect(await other.everything()).not.toMatch(/secret|hooks\.example|pager\.example|node\.example/)

  await other.send('DELETE', `/receivers?id=${receiverIdOf(HOOK)}`)
  await other.send('DELETE', `/services?baseUrl=${encodeURIComponent(SERVICE.baseUrl)}`)
  expect((await other.send('POST', `/relay/${receiverIdOf(HOOK)}`, {})).status).toBe(403)
  expect(
    (await other.send('GET', `/proxy/${serviceIdOf(SERVICE.baseUrl)}/node/status`)).headers[
      'x-proxy-failure'
    ],
  ).toBe('not-allowed')
  expect(await one.everything()).toBe(mine)

  // The same receiver added by another account is a separate entry.
  await other.send('POST', '/receivers', { receiver: { ...HOOK, name: 'Mine' } })
  await other.send('DELETE', `/receivers?id=${receiverIdOf(HOOK)}`)
  expect(await one.everything()).toBe(mine)

  const kept = JSON.parse(await readFile(join(dataFolder, 'receivers.json'), 'utf8'))
  expect(kept).toMatchObject({ receivers: [{ url: HOOK.url, owner: 'one' }, { owner: 'one' }] })
  const again = await shared({ dataFolder })
  expect(again.reports).toEqual([])
  expect(await again.as('one').everything()).toContain('T1?key=secret')
  expect(await again.as('other').everything()).not.toContain('secret')
})

it('entries added without accounts can be used by every account, but not read or removed', async () => {
  const dataFolder = await temporaryFolder()
  const here = await startTestServer({ dataFolder })
  await ask(here.url, '/receivers', {
    method: 'POST',
    headers: { origin: `http://${here.host}`, 'content-type': 'application/json' },
    body: JSON.stringify({ receiver: HOOK }),
  })
  const { as } = await shared({ dataFolder })
  const one = as('one')
  const listed = json(await one.send('GET', '/receivers'))
  expect(listed).toMatchObject({
    receivers: [{ id: receiverIdOf(HOOK), host: 'hooks.example', from: 'file' }],
  })
  expect(JSON.stringify(listed)).not.toContain('secret')
  await one.send('DELETE', `/receivers?id=${receiverIdOf(HOOK)}`)
  expect(json(await one.send('GET', '/receivers'))).toEqual(listed)
})
