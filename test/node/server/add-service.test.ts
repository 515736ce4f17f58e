import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { openAddedServices } from '#server/receivers.ts'
import { serviceAt } from '#settings/schema.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { startTestServer, temporaryFolder } from './test-server.ts'

type Running = { readonly url: string; readonly host: string }

const post = ({ url, host }: Running, service: unknown) =>
  ask(url, '/services', { method: 'POST', headers: ownHeaders(host), body: JSON.stringify({ service }) })

const enginePolicy = async ({ url }: Running) =>
  (await ask(url, '/assets/engine-worker-1.js')).headers['content-security-policy']

const listed = async ({ url }: Running) => json(await ask(url, '/services', {}))

describe('adding a service', () => {
  it('returns the configuration, which does not list added services', async () => {
    const server = await startTestServer()
    const answer = await post(server, { baseUrl: 'https://node.example' })
    expect(answer.status).toBe(200)
    expect(json(answer)).toMatchObject({ version: 1, services: [], canAddServices: true })
  })

  it('adds direct services, and no others, to the engine Worker’s connect-src at once', async () => {
    const server = await startTestServer()
    await post(server, { baseUrl: 'https://proxied.example' })
    expect(await enginePolicy(server)).toContain("connect-src 'self';")
    await post(server, { baseUrl: 'https://b.example/api', via: 'direct' })
    await post(server, { baseUrl: 'http://127.0.0.1:8080', via: 'direct' })
    expect(await enginePolicy(server)).toContain(
      "connect-src 'self' http://127.0.0.1:8080 https://b.example;",
    )
    await post(server, { baseUrl: 'https://b.example/api', via: 'proxy' })
    expect(await enginePolicy(server)).toContain("connect-src 'self' http://127.0.0.1:8080;")
  })

  it('is limited to 16 services, which can still be changed', async () => {
    const server = await startTestServer()
    for (let index = 0; index < DEFAULTS.servicesMax; index += 1)
      expect((await post(server, { baseUrl: `https://n${index}.example` })).status).toBe(200)
    expect((await post(server, { baseUrl: 'https://more.example' })).status).toBe(409)
    expect((await post(server, { baseUrl: 'https://n3.example', via: 'direct' })).status).toBe(200)
  })
})

describe('an invalid request', () => {
  const SERVICE = { baseUrl: 'https://node.example', via: 'direct' }
  it('without an Origin is refused', async () => {
    const { url } = await startTestServer()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ service: SERVICE })
    expect((await ask(url, '/services', { method: 'POST', headers, body })).status).toBe(403)
  })

  it.each(['PUT', 'PATCH', 'OPTIONS'])('by %s is answered with the allowed methods', async (method) => {
    const { url } = await startTestServer()
    expect((await ask(url, '/services', { method })).headers.allow).toBe('GET, POST, DELETE')
  })

  it.each([
    ['no service', undefined, 'service'],
    ['another scheme', { baseUrl: 'file:///etc/passwd' }, 'service.baseUrl'],
    ['a host that injects a policy directive', { baseUrl: 'http://b,default-src' }, 'service.baseUrl'],
    ['a host that matches every host', { baseUrl: 'http://*', via: 'direct' }, 'service.baseUrl'],
    ['a user in the address', { baseUrl: 'https://user@node.example' }, 'service.baseUrl'],
    [
      'an IPv6 address that no policy can name',
      { baseUrl: 'http://[::1]:8080', via: 'direct' },
      'service.via',
    ],
    ['a field that does not exist', { baseUrl: 'https://node.example', x: 1 }, 'service.x'],
  ])('with %s is refused, naming the field', async (_name, service, path) => {
    const server = await startTestServer()
    const answer = await post(server, service)
    expect(answer.status).toBe(400)
    expect(json(answer)).toMatchObject({ problems: [{ path }] })
  })

  it('with a profile that sets a header unrelated to signing is refused', async () => {
    const server = await startTestServer()
    const withHeader = (name: string) =>
      post(server, {
        baseUrl: 'https://node.example',
        profile: { message: { kind: 'template', template: '{origin}' }, headers: { [name]: '{sig.hex}' } },
      })
    for (const name of ['X-Original-URL', 'X-Rewrite-URL', 'Range']) {
      const answer = await withHeader(name)
      expect([answer.status, answer.body.toString()]).toEqual([
        400,
        expect.stringContaining('signature does not need'),
      ])
    }
    expect((await withHeader('X-Signature')).status).toBe(200)
  })
})

const BASE = 'https://mistyped.example/api'
const remove = ({ url, host }: Running, query: string) =>
  ask(url, `/services${query}`, {
    method: 'DELETE',
    headers: { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
  })
const named = `?baseUrl=${encodeURIComponent(BASE)}`

it('removing a service deletes it from the list, the policy and the file, and may be repeated', async () => {
  const dataFolder = await temporaryFolder()
  const server = await startTestServer({ dataFolder })
  await post(server, { baseUrl: BASE, via: 'direct' })
  await post(server, { baseUrl: 'https://right.example' })
  expect(await listed(server)).toMatchObject({
    services: [{ baseUrl: BASE }, { baseUrl: 'https://right.example' }],
  })
  expect((await remove(server, named)).status).toBe(200)
  expect((await remove(server, named)).status).toBe(200)
  expect(await listed(server)).toMatchObject({ services: [{ baseUrl: 'https://right.example' }] })
  expect(await enginePolicy(server)).toContain("connect-src 'self';")
  const kept = await readFile(join(dataFolder, 'services.json'), 'utf8')
  expect(kept).toContain('right.example')
  expect(kept).not.toContain('mistyped')
})

describe('the file of added services', () => {
  it('restores them at the next start', async () => {
    const dataFolder = join(await temporaryFolder(), 'deep', 'folder')
    const first = await startTestServer({ dataFolder })
    await post(first, { baseUrl: 'https://node.example', via: 'direct' })
    await first.close()
    const second = await startTestServer({ dataFolder })
    expect(await enginePolicy(second)).toContain('https://node.example')
    expect(second.reports).toEqual([])
  })

  it('keeps an invalid service, which is reported and not listed', async () => {
    const dataFolder = await temporaryFolder()
    const bad = { baseUrl: 'https://bad.example', via: 'pigeon' }
    const direct = { baseUrl: 'http://my_service:8080', via: 'direct' }
    const good = { baseUrl: 'http://my_service:8080/v2', via: 'proxy' }
    const path = join(dataFolder, 'services.json')
    await writeFile(path, JSON.stringify({ version: 1, services: [bad, direct, good] }))
    const server = await startTestServer({ dataFolder })
    expect(await listed(server)).toMatchObject({ services: [{ baseUrl: good.baseUrl }] })
    expect(server.reports).toHaveLength(2)
    expect(server.reports[0]).toMatch(/entry 1 of its services.*via/)
    expect(server.reports[1]).toMatch(/entry 2 of its services.*underscore/)
    await post(server, { baseUrl: 'https://node.example' })
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'))
    expect(kept).toMatchObject({
      services: [{ baseUrl: good.baseUrl }, { baseUrl: 'https://node.example' }, bad, direct],
    })
  })

  it('is reported with the reason if it cannot be read or renamed', async () => {
    const reports: string[] = []
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'services.json'))
    expect(openAddedServices(folder, (line) => reports.push(line)).list(undefined)).toEqual([])
    expect(reports).toEqual([
      `${join(folder, 'services.json')}: can’t be read (EISDIR). The file is left as it is. Any services added from now on will be lost at the next start. Choose another folder with --data DIR.`,
    ])
    const other = await temporaryFolder()
    const path = join(other, 'services.json')
    await writeFile(path, '{"version":2,"services":[]}')
    await mkdir(`${path}.damaged`)
    openAddedServices(other, (line) => reports.push(line)).add(
      undefined,
      serviceAt('https://a.example', 'proxy'),
    )
    expect(reports[1]).toBe(
      `${path}: is damaged and can’t be renamed (EISDIR). The file is left as it is. Any services added from now on will be lost at the next start. Choose another folder with --data DIR.`,
    )
    expect(await readFile(path, 'utf8')).toBe('{"version":2,"services":[]}')
    await rm(`${path}.damaged`, { recursive: true })
    openAddedServices(other, (line) => reports.push(line))
    expect(reports[2]).toBe(
      `${path}: is damaged and was renamed to ${path}.damaged. Add the services again in the dashboard.`,
    )
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('{"version":2,"services":[]}')
  })

  it.each(['null', '7', '[]', '{"version":1}', '{"services":[]}', '{"version":1,"services":{}}'])(
    'is damaged if it contains %s',
    async (text) => {
      const reports: string[] = []
      const folder = await temporaryFolder()
      await writeFile(join(folder, 'services.json'), text)
      expect(openAddedServices(folder, (line) => reports.push(line)).list(undefined)).toEqual([])
      expect(reports).toEqual([expect.stringContaining('is damaged and was renamed')])
    },
  )

  it('is written to a folder only for its owner, without leaving a draft', async () => {
    const folder = join(await temporaryFolder(), 'new')
    const added = openAddedServices(folder, () => undefined)
    added.add(undefined, serviceAt('https://a.example', 'proxy'))
    added.remove(undefined, 'https://b.example')
    expect((await lstat(folder)).mode & 0o777).toBe(0o700)
    expect(await readdir(folder)).toEqual(['services.json'])
    expect(await readFile(join(folder, 'services.json'), 'utf8')).toBe(
      `${JSON.stringify({ version: 1, services: added.list(undefined) }, undefined, 2)}\n`,
    )
  })

  it('is not written through a symbolic link at the path of its draft', async () => {
    const dataFolder = await temporaryFolder()
    const victim = join(await temporaryFolder(), 'victim')
    await writeFile(victim, 'as it was')
    await symlink(victim, join(dataFolder, `services.json.${process.pid}.new`))
    const server = await startTestServer({ dataFolder })
    await post(server, { baseUrl: 'https://node.example' })
    expect(await readFile(victim, 'utf8')).toBe('as it was')
    const kept = await lstat(join(dataFolder, 'services.json'))
    expect([kept.isFile(), kept.mode & 0o777]).toEqual([true, 0o600])
    expect(server.reports).toEqual([])
  })

  it('is replaced by memory if it cannot be written, which is reported once', async () => {
    // A file in place of the folder stops root too, which permissions do not.
    const dataFolder = join(await temporaryFolder(), 'file')
    await writeFile(dataFolder, '')
    await chmod(dataFolder, 0o400)
    const server = await startTestServer({ dataFolder })
    await post(server, { baseUrl: 'https://a.example', via: 'direct' })
    await post(server, { baseUrl: 'https://b.example', via: 'direct' })
    expect(await enginePolicy(server)).toContain('https://a.example https://b.example')
    expect(server.reports.filter((line) => line.includes('--data'))).toHaveLength(1)
  })
})
