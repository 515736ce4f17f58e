import { describe, expect, it, vi } from 'vitest'
import type { PasswordFile } from '#server/password-file.ts'
import { ask, json } from './http-client.ts'
import { startTestServer } from './test-server.ts'

/** A server whose password checks wait until the test resolves them. */
async function checking() {
  const checks: ((isRight: boolean) => void)[] = []
  const asked: string[] = []
  const given: string[] = []
  const accounts: PasswordFile = {
    count: () => 1,
    verify: (name, password) => {
      given.push(`${name}:${password}`)
      return new Promise((resolve) => checks.push(resolve))
    },
    stampOf: (name) => {
      asked.push(name)
      return name === 'gone' ? undefined : 'stamp'
    },
  }
  const { url, host } = await startTestServer({ access: { kind: 'password', accounts, lifeMs: 1_000 } })
  const send = (body: string) =>
    ask(url, '/login', { method: 'POST', headers: { origin: `http://${host}` }, body })
  return { checks, asked, given, send, signIn: (name: string) => send(`name=${name}&password=x`) }
}

const SOON = { interval: 5, timeout: 20_000 }

describe('passwords', () => {
  it('are checked one at a time, with at most 8 waiting', async () => {
    const { checks, asked, signIn } = await checking()
    const waiting = Array.from({ length: 8 }, (_, at) => signIn(`n${at}`))
    await vi.waitFor(() => expect(asked).toHaveLength(8), SOON)
    expect(checks).toHaveLength(1)
    const beyond = await signIn('more')
    expect([beyond.status, beyond.headers['retry-after']]).toEqual([429, '5'])
    expect(beyond.body.toString()).toBe('<!doctype html><title>Sign in</title><body data-state="wait">')
    for (let at = 0; at < 8; at += 1) {
      await vi.waitFor(() => expect(checks).toHaveLength(1), SOON)
      checks.shift()?.(false)
    }
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(
      Array.from({ length: 8 }, () => 401),
    )
    // The queue has room again.
    const later = signIn('later')
    await vi.waitFor(() => expect(checks).toHaveLength(1), SOON)
    checks.shift()?.(true)
    expect((await later).status).toBe(303)
  })

  it('admit nobody whose account is removed during the check', async () => {
    const { checks, signIn } = await checking()
    const answer = signIn('gone')
    await vi.waitFor(() => expect(checks).toHaveLength(1), SOON)
    checks.shift()?.(true)
    expect((await answer).status).toBe(401)
  })
})

describe('a dashboard without passwords', () => {
  const byHeader = { access: { kind: 'header', name: 'x-user' }, trustFrom: ['127.0.0.1'] } as const

  it('has no sign-in and no sign-out', async () => {
    const { url, host } = await startTestServer(byHeader)
    const post = (path: string) =>
      ask(url, path, { method: 'POST', headers: { 'x-user': 'op', origin: `http://${host}` } })
    const login = await post('/login')
    expect([login.status, login.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect((await post('/logout')).status).toBe(404)
  })

  it('refuses requests that bypass its reverse proxy, with the reason', async () => {
    const { url } = await startTestServer({ ...byHeader, trustFrom: ['192.0.2.1'] })
    expect(json(await ask(url, '/'))).toEqual({
      type: 'about:blank',
      status: 403,
      title: 'Not allowed',
      detail: 'This dashboard accepts requests only from its reverse proxy.',
    })
  })
})
