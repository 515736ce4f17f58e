import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { err } from '#base/result.ts'
import { openConfigFile } from '#server/config-file.ts'
import { createServerSigner, openSigningKeys } from '#server/signing-keys.ts'
import { systemClock } from '#platform/system-clock.ts'
import { readWatchJournal } from '#platform/watch-api.ts'
import { createFiles } from '#test/node/collector/running.ts'
import { runReference } from '#test/node/reference/running.ts'
import { ask, json } from '#test/node/server/http-client.ts'
import { startTestServer } from '#test/node/server/test-server.ts'
import { startReceiver } from '#test/support/running-receiver.ts'
import { startServerWatch } from '#watch/server-watch.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import { valueOf } from '#test/support/value-of.ts'

/** A server watch with one node and one receiver, and a visitor named ada. */
async function start() {
  const reference = await runReference({ nodes: 1 })
  const receiver = await startReceiver()
  const { config, key } = createFiles(reference, 1)
  const document: object = JSON.parse(readFileSync(config, 'utf8'))
  const receivers = [{ kind: 'webhook', url: receiver.url, name: 'hook' }]
  writeFileSync(config, JSON.stringify({ ...document, receivers }))
  const file = valueOf(openConfigFile(config, () => undefined))
  const keys = valueOf(await openSigningKeys([key], undefined, { platform: process.platform, env: {} }))
  const reports: string[] = []
  const folder = temporaryFolder()
  const started = startServerWatch({
    clock: systemClock,
    folder,
    file,
    signer: createServerSigner(keys, () => file.current().services, Date.now),
    deliver: async () => err('gone'),
    canPoll: () => true,
    dashboardUrl: 'https://dash.example',
    report: (line) => reports.push(line),
  })
  const { watch, stop } = valueOf(started)
  onTestFinished(stop)
  const { url } = await startTestServer({
    watch: { ...watch, metricsBearer: 'of-prometheus' },
    access: { kind: 'header', name: 'x-user' },
    trustFrom: ['127.0.0.1'],
  })
  const { host, origin } = new URL(url)
  const headers = { host, origin, 'x-user': 'ada', 'content-type': 'application/json' }
  const get = async (path: string) => json(await ask(url, path, { headers }))
  const act = (body: object, more: object = {}) =>
    ask(url, '/watch/acts', {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    })
  return { reference, receiver, folder, url, watch, get, act }
}

const acknowledgedBy = (by: string, id: string): unknown =>
  expect.objectContaining({ id, acknowledged: expect.objectContaining({ by, note: 'mine' }) })

it('the server watch notifies without a browser, and users acknowledge alarms by name', async () => {
  const { reference, receiver, folder, url, watch, get, act } = await start()
  await reference.service.faults.set(reference.id(0), { name: 'status', value: 503 })
  await receiver.took(1)
  const [alarm] = Object(await get('/watch')).view.alarms
  expect(receiver.taken[0]).toMatchObject({
    kind: 'problem',
    alarms: [{ link: `https://dash.example/#/alarms?alarm=${encodeURIComponent(alarm.id)}` }],
  })
  expect(await act({ act: 'acknowledge', ids: [alarm.id], by: 'eve' })).toMatchObject({ status: 400 })
  expect(
    await act({ act: 'acknowledge', ids: [alarm.id] }, { origin: 'https://evil.example' }),
  ).toMatchObject({
    status: 403,
  })
  expect(await act({ act: 'acknowledge', ids: [alarm.id], note: 'mine' })).toMatchObject({ status: 204 })
  expect(await get('/watch')).toMatchObject({
    version: 1,
    view: { alarms: expect.arrayContaining([acknowledgedBy('ada', alarm.id)]) },
    receivers: [{ kind: 'webhook', name: 'hook', where: new URL(receiver.url).host, state: { waiting: 0 } }],
  })
  await reference.service.faults.clear()
  await receiver.took(2)
  expect(receiver.taken[1]).toMatchObject({ kind: 'recovery' })

  const scrape = { headers: { host: new URL(url).host, authorization: 'Bearer of-prometheus' } }
  const metrics = (await ask(url, '/watch/metrics', scrape)).body.toString()
  expect(metrics).toMatch(/^immune_node_watch_alarms\{severity="critical"\} \d$/m)
  expect(metrics).toMatch(/^immune_node_watch_messages_waiting\{.*receiver="hook"\} 0$/m)
  expect((await ask(url, '/watch', scrape)).status).toBe(401)
  expect(await ask(url, '/healthz', { headers: { host: new URL(url).host } })).toMatchObject({ status: 200 })
  const silent = { ...watch, evaluatedWallMs: () => Date.now() - 61_000 }
  const { url: other } = await startTestServer({ watch: silent })
  expect(await ask(other, '/healthz', { headers: { host: new URL(other).host } })).toMatchObject({
    status: 503,
  })

  // The journal comes in parts, each from where the previous one ended.
  const { fetch } = globalThis
  const visitor = { headers: { 'x-user': 'ada' } }
  vi.stubGlobal('fetch', (path: string) => fetch(new URL(path, url), visitor))
  const first = await readWatchJournal({ limit: 2 })
  expect(first).toEqual({ entries: [expect.anything(), expect.anything()], before: expect.any(String) })
  const { entries: rest } = await readWatchJournal({ limit: 500, before: first.before ?? '' })
  const whole = [...first.entries, ...rest]
  expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length)
  expect(whole.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['failure-began', 'alarm-raised', 'alarm-acknowledged', 'failure-ended']),
  )
  expect(rest).toContainEqual(
    expect.objectContaining({ what: 'alarm-acknowledged', facts: expect.objectContaining({ by: 'ada' }) }),
  )
  await vi.waitFor(() => expect(readFileSync(join(folder, 'state.json'), 'utf8')).toContain('"alarms"'))
}, 40_000)
