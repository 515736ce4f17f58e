import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ok } from '#base/result.ts'
import { serviceIdOf } from '#record/service.ts'
import { proxyStatus, type Ways } from '#server/proxy.ts'
import { openAddedServices } from '#server/receivers.ts'
import { createServiceList } from '#server/service-list.ts'
import { serviceAt } from '#settings/schema.ts'
import { ask } from './http-client.ts'

const NAMED = 'https://named.example'
const ADDED = 'https://added.example'
const API = { name: 'P', url: 'http://p.example', scrapeMs: 10_000, days: 30, live: true, labels: {} }
const SIGNED = { headers: { authorization: 'Bearer server' }, query: 'node_id=signed' }
const PUBLIC_KEY = 'ab'.repeat(32)

/** A proxy alone: what a service is asked is noted, and answered with what it was. */
async function proxy(ways: Partial<Ways> = {}) {
  const asked: string[] = []
  const named = { service: serviceAt(NAMED, 'proxy'), nodes: [] }
  const added = openAddedServices(undefined, () => undefined)
  added.add(undefined, serviceAt(ADDED, 'proxy'))
  const services = createServiceList({ file: undefined, demo: named, added })
  const given: Ways = {
    ask: (url, headers, _timeoutMs, _signal, reach) => {
      asked.push(`${url.href} ${headers['authorization']} ${headers['accept']} ${reach}`)
      return Promise.resolve(ok({ status: 200, headers: {}, body: Buffer.from('{}') }))
    },
    signer: undefined,
    live: { apiOf: () => undefined, answer: () => Promise.resolve(undefined) },
    ...ways,
  }
  const failures: unknown[] = []
  const visitor = {
    name: undefined,
    maySend: true,
    mayAdd: true,
    isViewOnly: false,
    reach: 'public',
  } as const
  const server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    proxyStatus(request, response, path, query, services, given, visitor).catch((error: unknown) =>
      failures.push(error),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address: AddressInfo | string | null = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const status = (baseUrl: string, query = '?node_id=own') =>
    ask(`http://127.0.0.1:${port}`, `/proxy/${serviceIdOf(baseUrl)}/node/status${query}`, {
      headers: { authorization: 'Bearer browser' },
    })
  return { status, asked, failures }
}

const signerFor = (key: string | undefined): Ways['signer'] => ({
  keyOf: () => key,
  sign: () => Promise.resolve(ok(SIGNED)),
})

describe('a status request is sent', () => {
  const BY_BROWSER = `${NAMED}/node/status?node_id=own Bearer browser application/json anywhere`
  it.each([
    ['as the browser signed it, where the server signs nothing', undefined, NAMED, BY_BROWSER],
    [
      'as the server signs it, where it has the key',
      signerFor(PUBLIC_KEY),
      NAMED,
      `${NAMED}/node/status?node_id=signed Bearer server application/json anywhere`,
    ],
    [
      'as the browser signed it, to a service that a browser added',
      signerFor(PUBLIC_KEY),
      ADDED,
      `${ADDED}/node/status?node_id=own Bearer browser application/json public`,
    ],
  ])('%s', async (_what, signer, baseUrl, expected) => {
    const { status, asked } = await proxy({ signer })
    expect((await status(baseUrl)).status).toBe(200)
    expect(asked).toEqual([expected])
  })
})

describe('a status request that an engine answers', () => {
  const live = (answer: Ways['live']['answer']): Ways['live'] => ({ apiOf: () => API, answer })

  it('is answered by it alone, of a service that the server’s file names', async () => {
    const { status, asked, failures } = await proxy({
      live: live((response) => {
        response.end('told')
        return Promise.resolve(undefined)
      }),
    })
    expect((await status(NAMED)).body.toString()).toBe('told')
    expect(asked).toEqual([])
    // Of one that a browser added, the engine knows nothing.
    expect((await status(ADDED)).body.toString()).toBe('{}')
    expect(failures).toEqual([])
  })
})
