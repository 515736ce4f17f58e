import { describe, expect, it, vi } from 'vitest'
import type { PasswordFile } from '#server/password-file.ts'
import { ask } from './http-client.ts'
import { startTestServer } from './test-server.ts'

/** A server whose passwords are checked as slowly as one likes: each check waits to be told what it found. */
async function checking() {
  const checks: ((isRight: boolean) => void)[] = []
  const asked: string[] = []
  const accounts: PasswordFile = {
    count: () => 1,
    verify: () => new Promise((resolve) => checks.push(resolve)),
    stampOf: (name) => {
      asked.push(name)
      return name === 'gone' ? undefined : 'stamp'
    },
  }
  const { url, host } = await startTestServer({ access: { kind: 'password', accounts, lifeMs: 1_000 } })
  const signIn = (name: string, origin = `http://${host}`) =>
    ask(url, '/login', { method: 'POST', headers: { origin }, body: `name=${name}&password=x` })
  return { checks, asked, signIn }
}

const SOON = { interval: 5 }

describe('passwords', () => {
  it('are checked one after the other, and nobody waits behind eight', async () => {
    const { checks, asked, signIn } = await checking()
    const waiting = Array.from({ length: 8 }, (_, at) => signIn(`n${at}`))
    await vi.waitFor(() => expect(asked).toHaveLength(8), SOON)
    expect(checks).toHaveLength(1)
    const beyond = await signIn('more')
    expect([beyond.status, beyond.headers['retry-after']]).toEqual([429, '5'])
    expect(beyond.body.toString()).toContain('data-state="wait"')
    for (let at = 0; at < 8; at += 1) {
      await vi.waitFor(() => expect(checks).toHaveLength(1), SOON)
      checks.shift()?.(false)
    }
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(
      Array.from({ length: 8 }, () => 401),
    )
    // There is room again.
    const later = signIn('later')
    await vi.waitFor(() => expect(checks).toHaveLength(1), SOON)
    checks.shift()?.(true)
    expect((await later).status).toBe(303)
  })

  it('let nobody in whose account is gone by then', async () => {
    const { checks, signIn } = await checking()
    const answer = signIn('gone')
    await vi.waitFor(() => expect(checks).toHaveLength(1), SOON)
    checks.shift()?.(true)
    expect((await answer).status).toBe(401)
  })

  it('begin a session that lasts as long as it says', async () => {
    const { checks, signIn } = await checking()
    const answer = signIn('op')
    await vi.waitFor(() => expect(checks).toHaveLength(1), SOON)
    checks.shift()?.(true)
    expect((await answer).headers['set-cookie']?.[0]).toMatch(
      /^immune-session-\d+=[\w-]{43}; Path=\/; Max-Age=1; HttpOnly; SameSite=Strict$/,
    )
  })
})
