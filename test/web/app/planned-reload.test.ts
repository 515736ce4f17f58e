import { describe, expect, it, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { createPlannedReload, type Reloaded, type ReloadPorts } from '#app/planned-reload.ts'
import { serviceIdOf } from '#record/service.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { A_KEY } from '#test/support/fake-dashboard.tsx'

/** A page unused for an hour, at 3 a.m., with a device key and a server that answers. */
function setUp(changes: Partial<ReloadPorts> = {}) {
  const clock = createFakeClock()
  let made: readonly Reloaded[] = []
  const reload = vi.fn<() => void>()
  const planned = createPlannedReload({
    clock,
    made: () => made,
    remember: (now) => {
      made = now
      return true
    },
    keys: async () => [A_KEY],
    tokens: async () => [],
    hostAnswers: async () => true,
    isBusy: () => false,
    localHour: () => 3,
    reload,
    ...changes,
  })
  clock.advanceSync(HOUR_MS)
  return { clock, planned, reload, made: () => made }
}

describe('an automatic reload', () => {
  it('happens at night when nothing prevents it, and records its reason', async () => {
    const { planned, reload, made } = setUp()
    expect(await planned.consider('version')).toBe(true)
    expect(reload).toHaveBeenCalledOnce()
    expect(made()).toMatchObject([{ reason: 'version' }])
  })

  it.each<[string, Partial<ReloadPorts>]>([
    ['a vault is unlocked', { keys: async () => [{ ...A_KEY, custody: 'vault', locked: false }] }],
    ['a key is kept for the session only', { keys: async () => [A_KEY, { ...A_KEY, custody: 'session' }] }],
    [
      'a token is kept for the session only',
      { tokens: async () => [{ serviceId: serviceIdOf('http://a.example'), place: 'session' }] },
    ],
    ['the signer does not answer', { keys: () => Promise.reject(new Error('gone')) }],
    ['the server does not answer', { hostAnswers: async () => false }],
    ['a dialog is open', { isBusy: () => true }],
    ['it is 5 a.m.', { localHour: () => 5 }],
    ['the record of reloads is unavailable', { made: () => undefined }],
    ['the reload cannot be recorded', { remember: () => false }],
  ])('does not happen while %s', async (_, changes) => {
    const { planned, reload } = setUp(changes)
    expect(await planned.consider('version')).toBe(false)
    expect(reload).not.toHaveBeenCalled()
  })

  it('happens once the signer answers again', async () => {
    const keys = vi.fn<ReloadPorts['keys']>(async () => [A_KEY]).mockRejectedValueOnce(new Error('gone'))
    const { planned } = setUp({ keys })
    expect([await planned.consider('version'), await planned.consider('version')]).toEqual([false, true])
  })

  it('happens while a vault is locked', async () => {
    const { planned } = setUp({ keys: async () => [{ ...A_KEY, custody: 'vault', locked: true }] })
    expect(await planned.consider('version')).toBe(true)
  })

  it('waits until the page has been unused for ten minutes', async () => {
    const { clock, planned } = setUp()
    planned.sign()
    clock.advanceSync(10 * MINUTE_MS - 1)
    expect(await planned.consider('version')).toBe(false)
    clock.advanceSync(1)
    expect(await planned.consider('version')).toBe(true)
  })

  it('happens at most once a day, whatever the reason', async () => {
    const { clock, planned } = setUp()
    await planned.consider('version')
    clock.advanceSync(24 * HOUR_MS - 1)
    expect(await planned.consider('memory')).toBe(false)
    clock.advanceSync(1)
    expect(await planned.consider('memory')).toBe(true)
  })

  it('for lack of memory does not wait for the night', async () => {
    expect(await setUp({ localHour: () => 12 }).planned.consider('memory')).toBe(true)
  })

  it('after a render failure happens up to three times an hour, even while the page is in use', async () => {
    const { clock, planned, reload } = setUp({ localHour: () => 12 })
    planned.sign()
    for (let count = 0; count < 5; count++) await planned.consider('failure')
    expect(reload).toHaveBeenCalledTimes(3)
    clock.advanceSync(HOUR_MS)
    expect(await planned.consider('failure')).toBe(true)
  })
})
