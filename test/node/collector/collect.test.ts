import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { grafanaDashboard } from '#collector/grafana-dashboard.ts'
import { prometheusRules, rulesYaml } from '#collector/prometheus-rules.ts'
import { METRICS } from '#metrics/metrics.ts'
import { runReference } from '#test/node/reference/running.ts'
import { ask, type Ask } from '#test/node/server/http-client.ts'
import { startReceiver } from '#test/support/running-receiver.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import { createFiles, startCollect as start } from './running.ts'

const get = (url: string, headers: Ask['headers'] = {}, method = 'GET') =>
  ask(url, new URL(url).pathname, { headers, method })

const nodesIn = (text: string): number =>
  text.split('\n').filter((line) => line.startsWith('immune_node_up{')).length

describe('collect', () => {
  it('polls its nodes, exports them, reloads its file on SIGHUP and exits when stopped', async () => {
    const running = await runReference({ nodes: 5 })
    const { config, key, write } = createFiles(running, 3)
    const { url, said, stop, ended, hangUp } = start('--config', config, '--key', key, '--port', '0')
    const metrics = await url()
    const read = async () => (await get(metrics)).body.toString()
    await vi.waitFor(async () => expect(nodesIn(await read())).toBe(3), 10_000)
    expect(await get(metrics.replace('/metrics', '/readyz'))).toMatchObject({ status: 200 })
    expect(await get(metrics.replace('/metrics', '/healthz'))).toMatchObject({ status: 200 })

    write(5)
    hangUp()
    await vi.waitFor(async () => expect(nodesIn(await read())).toBe(5), 10_000)

    writeFileSync(config, '{"version":1')
    hangUp()
    expect(said.at(-1)).toContain('The last good configuration stays in use.')
    expect(nodesIn(await read())).toBe(5)

    stop()
    expect(await ended).toBe(0)
    await expect(get(metrics)).rejects.toThrow('ECONNREFUSED')
  })

  it('is ready once it has polled every node, and says until then how many it has', async () => {
    const running = await runReference({ nodes: 2 })
    await running.service.faults.set(running.id(0), { name: 'status-503' })
    await running.service.faults.set(running.id(1), { name: 'hang' })
    const { config, key } = createFiles(running, 2, { timeoutMs: 1_000 })
    const { url } = start('--config', config, '--key', key, '--port', '0')
    const ready = (await url()).replace('/metrics', '/readyz')
    await vi.waitFor(
      async () => expect((await get(ready)).body.toString()).toBe('polled 1 of 2 nodes\n'),
      10_000,
    )
    expect(await get(ready)).toMatchObject({ status: 503 })
    await vi.waitFor(async () => expect(await get(ready)).toMatchObject({ status: 200 }), 10_000)
  })

  it('compresses metrics, requires its bearer token, and rejects other methods and paths', async () => {
    const running = await runReference({ nodes: 1 })
    const { config, key } = createFiles(running, 1)
    const { url } = start('--config', config, '--key', key, '--port', '0', '--bearer', 'env:OWN_BEARER')
    const metrics = await url()
    const bearer = { Authorization: 'Bearer own-bearer' }
    expect(await get(metrics)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    expect(await get(metrics, { Authorization: 'Bearer own-beare' })).toMatchObject({ status: 401 })
    const { body, headers } = await get(metrics, { ...bearer, 'Accept-Encoding': 'gzip' })
    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(body).toString()).toContain('immune_node_collector_nodes 1')
    expect(await get(metrics, bearer, 'POST')).toMatchObject({ status: 405 })
    expect(await get(metrics.replace('/metrics', '/'), bearer)).toMatchObject({ status: 404 })
  })

  it.each([
    ['without a key', [], /env:IMMUNE_NODE_KEY: this variable is not set/],
    ['with a key that others may read', ['--key', 'KEY'], /Run: chmod 600/],
  ])('does not start %s, and says why', async (_, more, words) => {
    const running = await runReference({ nodes: 1 })
    const { config, key } = createFiles(running, 1)
    chmodSync(key, 0o644)
    const { said, ended } = start('--config', config, ...more.map((part) => (part === 'KEY' ? key : part)))
    expect(await ended).toBe(1)
    expect(said).toEqual([expect.stringMatching(words)])
  })

  it('does not start if a service requires a key that is not given, or the port is in use', async () => {
    const running = await runReference({ nodes: 1 })
    const { config, key, write } = createFiles(running, 1)
    const { port } = new URL(running.baseUrl)
    const taken = start('--config', config, '--key', key, '--port', port)
    expect(await taken.ended).toBe(1)
    expect(taken.said).toEqual([
      `Port ${port} is in use. Choose another with --port P, where 0 picks a free one.`,
    ])
    write(1, { key: 'ab'.repeat(32) })
    const other = start('--config', config, '--key', key)
    expect(await other.ended).toBe(1)
    expect(other.said).toEqual([
      `${running.baseUrl}: requires the key ${'ab'.repeat(32)}, which no --key provides.`,
    ])
  })
})

/** A configuration of these services without a node. */
const fileOf = (...services: readonly object[]): string => {
  const file = join(temporaryFolder(), 'config.json')
  writeFileSync(file, JSON.stringify({ version: 1, services }))
  return file
}

it('collect --notify polls once for alarms and metrics, sends both, and reports unset secrets', async () => {
  const running = await runReference({ nodes: 1 })
  const receiver = await startReceiver()
  const { config, key } = createFiles(running, 1)
  const document: object = JSON.parse(readFileSync(config, 'utf8'))
  const hook = { kind: 'webhook', url: receiver.url, name: 'hook' }
  const receivers = [hook, { ...hook, name: 'signed', url: `${receiver.url}/signed`, secret: 'env:UNSET' }]
  writeFileSync(config, JSON.stringify({ ...document, receivers }))
  await running.service.faults.set(running.id(0), { name: 'status', value: 503 })
  const argv = ['--config', config, '--key', key, '--port', '0', '--notify', '--data', temporaryFolder()]
  const { url, said } = start(...argv)
  const metrics = await url()
  expect(said).toContain('receivers.1: env:UNSET: this variable is not set.')
  await receiver.took(1)
  expect(receiver.taken[0]).toMatchObject({ kind: 'problem' })
  await vi.waitFor(async () => {
    const text = (await get(metrics)).body.toString()
    expect(text).toMatch(/^immune_node_watch_messages_waiting\{.*receiver="hook"\} 0$/m)
    const [, failed] = /^immune_node_poll_failures_total\{.*kind="server-error"\} (\d+)/m.exec(text) ?? []
    // The last poll may not have been counted yet.
    expect(Number(failed)).toBeGreaterThanOrEqual(running.service.stats().requests - 1)
    expect(nodesIn(text)).toBe(1)
  })
  expect((await get(metrics.replace('/metrics', '/healthz'))).status).toBe(200)
}, 30_000)

describe('collect without a server', () => {
  const printed = async (...argv: string[]) => {
    const { said, ended } = start(...argv)
    return { code: await ended, text: said.join('\n') }
  }

  it('prints its help', async () => {
    const { code, text } = await printed('--help')
    expect(code).toBe(0)
    for (const flag of ['--config FILE', '--key SOURCE', '--passphrase SOURCE', '--token URL=SOURCE'])
      expect(text).toContain(flag)
    for (const flag of ['picks a free one (7422)', 'requests in flight per host (64)'])
      expect(text).toContain(flag)
    expect(text).toContain('such as 1/4; at most 1000 parts')
  })

  it('prints the Grafana dashboard', async () => {
    const { code, text } = await printed('--print', 'grafana')
    expect([code, JSON.parse(text)]).toEqual([0, JSON.parse(JSON.stringify(grafanaDashboard(METRICS)))])
  })

  const rules = (intervalMs: number) => rulesYaml(prometheusRules(METRICS, intervalMs)).trimEnd()

  it('prints rules for the longest poll interval of its file, or for 15 s without one', async () => {
    const file = fileOf(
      { baseUrl: 'https://a.example', pollIntervalMs: 20_000 },
      { baseUrl: 'https://b.example', pollIntervalMs: 40_000 },
      { baseUrl: 'https://c.example', pollIntervalMs: 30_000 },
    )
    expect(await printed('--print', 'rules', '--config', file)).toEqual({ code: 0, text: rules(40_000) })
    expect(await printed('--print', 'rules')).toEqual({ code: 0, text: rules(15_000) })
    expect(await printed('--print', 'rules', '--config', fileOf())).toEqual({ code: 0, text: rules(15_000) })
    const { code, text } = await printed('--print', 'rules', '--config', `${file}.gone`)
    expect([code, text]).toEqual([1, expect.stringContaining(`${file}.gone`)])
  })

  const token = {
    message: { kind: 'none', token: 'operator-typed' },
    headers: { Authorization: 'Bearer {token}' },
  }

  it('does not start without the token that a service requires', async () => {
    const file = fileOf({ baseUrl: 'https://a.example', profile: token })
    expect(await printed('--config', file)).toEqual({
      code: 1,
      text: 'https://a.example: requires a token. Add --token https://a.example=SOURCE.',
    })
  })

  it.each([
    ['https://a b.example=env:OWN_BEARER', '--token takes URL=SOURCE'],
    ['https://a.example/?x=env:OWN_BEARER', '--token https://a.example/?x: not the base URL of a service.'],
    ['https://a.example=env:GONE', 'env:GONE: this variable is not set.'],
  ])('does not start with --token %s', async (given, words) => {
    const file = fileOf({ baseUrl: 'https://a.example', profile: token })
    const { code, text } = await printed('--config', file, '--token', given)
    expect([code, text]).toEqual([1, expect.stringContaining(words)])
  })

  it('does not start if the variable of the bearer or the configuration file is missing', async () => {
    const file = fileOf({ baseUrl: 'https://a.example', profile: token })
    expect(await printed('--config', file, '--bearer', 'env:GONE')).toEqual({
      code: 1,
      text: 'env:GONE: this variable is not set.',
    })
    const { code, text } = await printed('--config', `${file}.gone`)
    expect([code, text]).toEqual([1, expect.stringContaining(`${file}.gone`)])
  })

  it('requires no key if no service does, and matches the URL of --token in any spelling', async () => {
    const file = fileOf({ baseUrl: 'https://a.example', profile: token })
    const { url, stop, ended, said } = start(
      '--config',
      file,
      '--port',
      '0',
      '--token',
      'https://A.example:443/=env:OWN_BEARER',
    )
    await Promise.race([url(), ended])
    stop()
    expect([await ended, said]).toEqual([0, ['Metrics:', expect.stringMatching(/^http:.*\/metrics$/)]])
  })
})
