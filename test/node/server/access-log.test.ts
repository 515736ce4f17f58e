import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Agent, IncomingMessage, request, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openAccessLog, type AccessLog } from '#server/access-log.ts'
import { valueOf } from '#test/support/value-of.ts'
import { ask } from './http-client.ts'
import { startTestServer, temporaryFolder } from './test-server.ts'

type Given = Parameters<typeof openAccessLog>[0]
const opening = (target: string, given: Partial<Given> = {}) =>
  openAccessLog({
    target,
    out: () => undefined,
    report: () => undefined,
    now: () => new Date('2026-06-01T12:00:00Z'),
    ...given,
  })

async function openedLog(file: string) {
  const reports: string[] = []
  const log = valueOf(await opening(file, { report: (line) => reports.push(line) }))
  onTestFinished(log.close)
  const lines = (path = file): readonly Record<string, unknown>[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : []
  return { log, lines, reports }
}

async function loggedServer(trustFrom: readonly string[] = []) {
  const file = join(await temporaryFolder(), 'access.log')
  const logged = await openedLog(file)
  const { url } = await startTestServer({ accessLog: logged.log, trustFrom })
  return { ...logged, file, url }
}

/** Notes `times` requests that end at once without an answer. */
function note(log: AccessLog, url: string, times = 1): void {
  const asked = new IncomingMessage(new Socket())
  asked.url = url
  const response = new ServerResponse(asked)
  response.setMaxListeners(0)
  for (let count = 0; count < times; count += 1)
    log.note(asked, response, { address: '127.0.0.1', user: undefined })
  response.emit('close')
}

const SOON = { interval: 5, timeout: 20_000 }

describe('the access log', () => {
  it('has a line per request, without its query, headers or body', async () => {
    const { url, lines, file } = await loggedServer()
    const config = await ask(url, '/config.json?token=secret-1', {
      headers: { authorization: 'Bearer secret-2', cookie: 'a=secret-3' },
    })
    await ask(url, '/no-such', { method: 'POST', body: 'secret-4' })
    await expect.poll(() => lines()).toHaveLength(2)
    expect(lines()[0]).toMatchObject({
      time: '2026-06-01T12:00:00.000Z',
      address: '127.0.0.1',
      method: 'GET',
      path: '/config.json',
      status: 200,
      ms: 0,
    })
    // The count includes the response headers.
    expect(Number(lines()[0]?.['bytes'])).toBeGreaterThan(config.body.length)
    expect(Number(lines()[0]?.['bytes'])).toBeLessThan(config.body.length + 2_000)
    expect(lines()[1]).toMatchObject({ method: 'POST', path: '/no-such', status: 404 })
    expect(readFileSync(file, 'utf8')).not.toContain('secret')
  })

  it('counts the bytes of each request separately, also over one connection', async () => {
    const { url, lines } = await loggedServer()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const get = () =>
      new Promise((done) => {
        request(new URL('/config.json', url), { agent }, (response) =>
          response.resume().on('end', done),
        ).end()
      })
    await get()
    await get()
    await expect.poll(() => lines()).toHaveLength(2)
    expect(lines()[1]?.['bytes']).toBe(lines()[0]?.['bytes'])
  })

  it('appends to an existing file', async () => {
    const file = join(await temporaryFolder(), 'access.log')
    writeFileSync(file, '{"path":"/before"}\n')
    const { log, lines } = await openedLog(file)
    note(log, '/now')
    await expect.poll(() => lines()).toMatchObject([{ path: '/before' }, { path: '/now' }])
  })

  it.skipIf(process.platform === 'win32')('can be read by its owner and group only', async () => {
    const file = join(await temporaryFolder(), 'access.log')
    await openedLog(file)
    expect(statSync(file).mode & 0o027).toBe(0)
  })

  it('buffers 1 MiB for a slow disk and logs how many lines it dropped beyond that', async () => {
    const file = join(await temporaryFolder(), 'access.log')
    const { log, lines } = await openedLog(file)
    note(log, '/')
    await vi.waitFor(() => expect(lines()).toHaveLength(1), SOON)
    const LINE_BYTES = 512
    const path = `/${'x'.repeat(LINE_BYTES - readFileSync(file).length)}`
    log.reopen()
    // 2,048 lines are 1 MiB; one more is accepted while no more than that waits.
    note(log, path, 2_049 + 3)
    await vi.waitFor(() => expect(lines()).toHaveLength(1 + 2_049), SOON)
    log.reopen()
    note(log, '/later')
    note(log, '/last')
    await vi.waitFor(() => expect(lines()).toHaveLength(1 + 2_049 + 3), SOON)
    expect(lines().slice(-3)).toMatchObject([
      { time: '2026-06-01T12:00:00.000Z', lost: 3 },
      { path: '/later' },
      { path: '/last' },
    ])
  })

  it.skipIf(process.platform !== 'linux')('records in its next file how many lines it lost', async () => {
    const folder = join(await temporaryFolder(), 'logs')
    symlinkSync('/dev', folder)
    const file = join(folder, 'full')
    const { log, lines, reports } = await openedLog(file)
    note(log, '/one')
    await expect.poll(() => reports).toHaveLength(1)
    note(log, '/two')
    note(log, '/three')
    rmSync(folder)
    mkdirSync(folder)
    log.reopen()
    note(log, '/four')
    note(log, '/five')
    await expect.poll(() => lines()).toHaveLength(3)
    expect(lines()).toMatchObject([{ lost: 3 }, { path: '/four' }, { path: '/five' }])
  })

  it('does not follow a symbolic link in its place, at start and on reopening', async () => {
    const folder = await temporaryFolder()
    const [file, other] = [join(folder, 'access.log'), join(folder, 'other')]
    writeFileSync(other, 'kept')
    symlinkSync(other, file)
    expect(await opening(file)).toEqual({ ok: false, error: expect.stringContaining('ELOOP') })
    rmSync(file)
    const { log, reports } = await openedLog(file)
    rmSync(file)
    symlinkSync(other, file)
    log.reopen()
    await vi.waitFor(() => expect(reports).toEqual([expect.stringContaining('ELOOP')]), SOON)
    note(log, '/one')
    expect(readFileSync(other, 'utf8')).toBe('kept')
  })

  it('keeps one line per request and cuts the path at 500 characters', async () => {
    const { url, lines } = await loggedServer()
    await ask(url, `/${'%0a'.repeat(10)}"x"/${'y'.repeat(2_000)}`)
    await expect.poll(() => lines()).toHaveLength(1)
    expect(String(lines()[0]?.['path']).length).toBeLessThanOrEqual(500)
  })

  it('has the last untrusted address of X-Forwarded-For, from trusted proxies only', async () => {
    const addressesOf = async (trustFrom: readonly string[], ...said: readonly string[]) => {
      const { url, lines } = await loggedServer(trustFrom)
      for (const forwarded of said) await ask(url, '/', { headers: { 'x-forwarded-for': forwarded } })
      await expect.poll(() => lines()).toHaveLength(said.length)
      return lines().map(({ address }) => address)
    }
    expect(await addressesOf([], '192.0.2.7')).toEqual(['127.0.0.1'])
    expect(await addressesOf(['10.0.0.0/8'], '192.0.2.7')).toEqual(['127.0.0.1'])
    expect(
      await addressesOf(
        ['127.0.0.1', '10.0.0.0/8'],
        '192.0.2.7',
        '203.0.113.9, 192.0.2.7',
        '203.0.113.9, 192.0.2.7, 10.1.2.3',
        '2001:db8::7',
        '192.0.2.7:4711',
        '[2001:db8::7]:4711',
        '[2001:db8::7]',
        'unknown',
        '203.0.113.9, 192.0.2.7"},{"',
        '10.1.2.3',
        '',
      ),
    ).toEqual([
      '192.0.2.7',
      '192.0.2.7',
      '192.0.2.7',
      '2001:db8::7',
      '192.0.2.7',
      '2001:db8::7',
      '2001:db8::7',
      ...Array.from({ length: 4 }, () => '127.0.0.1'),
    ])
  })

  it('continues in a new file after rotation', async () => {
    const { url, log, file, lines } = await loggedServer()
    await ask(url, '/one')
    await expect.poll(() => lines()).toHaveLength(1)
    renameSync(file, `${file}.1`)
    log.reopen()
    await ask(url, '/two')
    await expect.poll(() => lines()).toMatchObject([{ path: '/two' }])
    expect(lines(`${file}.1`)).toMatchObject([{ path: '/one' }])
  })

  it('names the user, if there is one', async () => {
    const out: string[] = []
    const accessLog = valueOf(await opening('-', { out: (line) => out.push(line) }))
    const access = { kind: 'header', name: 'x-user' } as const
    const { url } = await startTestServer({ accessLog, access, trustFrom: ['127.0.0.1'] })
    await ask(url, '/session', { headers: { 'x-user': 'op' } })
    await ask(url, '/session')
    await expect.poll(() => out).toHaveLength(2)
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ user: 'op', status: 200, path: '/session' })
    expect(JSON.parse(out[1] ?? '')).not.toHaveProperty('user')
    // On standard output, reopening and closing do nothing.
    accessLog.reopen()
    accessLog.close()
  })

  it('has the duration of each request, and status 0 if the answer was cut off', async () => {
    const out: string[] = []
    let nowMs = 0
    const now = () => new Date((nowMs += 250))
    const { url } = await startTestServer({
      accessLog: valueOf(await opening('-', { out: (line) => out.push(line), now })),
      pages: () => async (_request, response) => void response.destroy(),
    })
    await expect(ask(url, '/cut')).rejects.toThrow()
    await expect.poll(() => out).toHaveLength(1)
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ path: '/cut', status: 0, ms: 250 })
  })

  it.skipIf(process.platform !== 'linux')(
    'reports a full disk once, while requests are still answered',
    async () => {
      const { log, reports } = await openedLog('/dev/full')
      const { url } = await startTestServer({ accessLog: log })
      for (const _ of [1, 2, 3]) expect((await ask(url, '/')).status).toBe(200)
      await expect.poll(() => reports).toHaveLength(1)
      log.reopen()
      expect((await ask(url, '/')).status).toBe(200)
      expect(reports).toEqual([
        '/dev/full: can’t be written: ENOSPC: no space left on device, write. Requests are answered but not logged.',
      ])
    },
  )
})
