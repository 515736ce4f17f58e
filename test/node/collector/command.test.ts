import { chmodSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { runReference } from '#test/node/reference/running.ts'
import { createFiles, startCollect as start } from './running.ts'

const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; body: Buffer; headers: Record<string, unknown> }>((done, failed) => {
    const asked = request(url, { headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, body: Buffer.concat(chunks), headers: response.headers }),
      )
    })
    asked.on('error', failed).end()
  })

const nodesIn = (text: string): number =>
  text.split('\n').filter((line) => line.startsWith('immune_node_up{')).length

describe('collect', () => {
  it('asks the nodes of its file, tells them, takes changes at a hang-up, and ends when it is told to', async () => {
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

  it('is ready once every node was asked, and says how many were until then', async () => {
    const running = await runReference({ nodes: 2 })
    await running.service.faults.set(running.id(1), { name: 'hang' })
    const { config, key } = createFiles(running, 2)
    const { url } = start('--config', config, '--key', key, '--port', '0')
    const ready = (await url()).replace('/metrics', '/readyz')
    await vi.waitFor(
      async () => expect((await get(ready)).body.toString()).toBe('asked 1 of 2 nodes\n'),
      10_000,
    )
    expect(await get(ready)).toMatchObject({ status: 503 })
  })

  it('packs what it tells, wants its bearer, and answers nothing else', async () => {
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

  it('does not start where a service wants another key than those given, or a port is taken', async () => {
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
      `${running.baseUrl}: wants the key ${'ab'.repeat(32)}, which no --key holds.`,
    ])
  })
})
