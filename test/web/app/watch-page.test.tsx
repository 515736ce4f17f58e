import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { planReloads, recover, watchPage } from '#app/watch-page.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import { reloadTexts } from '#texts/en-reload.ts'
import { DashboardContext } from '#react/dashboard.ts'
import { createDrafts } from '#react/drafts.ts'
import { act, renderHook } from '@testing-library/react'
import { A_KEY, fakeDashboard } from '#test/support/fake-dashboard.tsx'

const MINUTE_MS = 60_000

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
  return () => {
    vi.useRealTimers()
    document.body.replaceChildren()
  }
})

function watched() {
  const appendEvents = vi.fn<EngineCalls['appendEvents']>(async () => undefined)
  const dashboard = fakeDashboard({ engine: { appendEvents } })
  watchPage(dashboard)
  return { ...dashboard, journal: () => appendEvents.mock.calls.flatMap(([entries]) => entries) }
}
const fails = (message = 'broken'): void => {
  const filename = `${location.origin}/assets/first.js`
  window.dispatchEvent(new ErrorEvent('error', { message, error: null, filename }))
}

it('the page reports errors until ten minutes pass without one', () => {
  const { health } = watched()
  for (let times = 0; times < 3; times++) {
    fails()
    vi.advanceTimersByTime(9 * MINUTE_MS)
    expect(health.get().errors).toBe(1)
  }
  vi.advanceTimersByTime(MINUTE_MS)
  expect(health.get().errors).toBe(0)
})

it('the journal records the first 20 errors of a page, shortened and without keys', () => {
  const { journal } = watched()
  for (let times = 0; times < 25; times++) fails(`${'ab'.repeat(32)} ${'too long '.repeat(100)}`)
  expect(journal()).toHaveLength(20)
  const message = String(journal()[0]?.facts?.['message'])
  expect(message).toMatch(/^\[removed\] too long /)
  expect(message.length).toBeLessThan(350)
})

it('the page records a lost engine once, and reports it for ten minutes', () => {
  const { health, journal } = watched()
  health.publish({ ...health.get(), engineLost: 'hung' })
  health.publish({ ...health.get(), errors: 1 })
  expect(journal()).toMatchObject([{ what: 'engine-lost', facts: { reason: 'hung' } }])
  vi.advanceTimersByTime(10 * MINUTE_MS - 1)
  expect(health.get().engineLost).toBe('hung')
  vi.advanceTimersByTime(1)
  expect(health.get().engineLost).toBe(false)
  health.publish({ ...health.get(), engineLost: 'died' })
  vi.advanceTimersByTime(10 * MINUTE_MS)
  expect([journal().length, health.get().engineLost]).toEqual([2, false])
})

it('a page shows and records the reason for an automatic reload once', () => {
  sessionStorage.setItem('immune-reloads', JSON.stringify([{ atMs: Date.now(), reason: 'memory' }]))
  const [first, second] = [watched(), watched()]
  expect(first.toasts.get()).toMatchObject([{ text: reloadTexts.done.memory }])
  expect(first.journal()).toMatchObject([{ what: 'page-reloaded', facts: { reason: 'memory' } }])
  expect([second.toasts.get(), second.journal()]).toEqual([[], []])
})

/** A page with nothing to lose and a server that answers. */
function safeToReload() {
  const headers = { 'content-type': 'text/html' }
  vi.stubGlobal('fetch', async () => new Response('', { headers }))
  const engine = { appendEvents: async () => undefined }
  return fakeDashboard({ engine, signer: { keys: async () => [A_KEY] } })
}

it('a new version loads from 3 a.m. local time', async () => {
  vi.stubEnv('TZ', 'Asia/Kathmandu')
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.setSystemTime(Date.UTC(2026, 10, 20, 21))
  const reload = planReloads(safeToReload())
  vi.advanceTimersByTime(10 * MINUTE_MS)
  expect(await reload.consider('version')).toBe(false) // 02:55
  vi.advanceTimersByTime(5 * MINUTE_MS)
  expect(await reload.consider('version')).toBe(true)
})

it('a page reloads itself only without unsaved edits and open dialogs', async () => {
  const dashboard = safeToReload()
  const useDraft = createDrafts<string>()
  const { result } = renderHook(() => useDraft('rule'), {
    wrapper: ({ children }) => <DashboardContext value={dashboard}>{children}</DashboardContext>,
  })
  const reload = planReloads(dashboard)
  vi.advanceTimersByTime(10 * MINUTE_MS)
  act(() => result.current[1]('half a rule'))
  expect(await reload.consider('memory')).toBe(false)
  act(() => result.current[1](undefined))
  document.body.innerHTML = '<dialog open></dialog>'
  expect(await reload.consider('memory')).toBe(false)
  document.body.replaceChildren()
  location.hash = '#/settings/keys'
  expect(await reload.consider('memory')).toBe(false)
  location.hash = ''
  expect(await reload.consider('memory')).toBe(true)
})

it('a page that could not be drawn reloads itself after 30 s, unless a person has made it draw by then', async () => {
  const reloads = () => sessionStorage.getItem('immune-reloads')
  const dashboard = safeToReload()
  recover(dashboard, new Error('broken'))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reloads()).toBeNull()
  document.body.innerHTML = '<main id="failed"></main>'
  recover(dashboard, new Error('broken'))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reloads()).toContain('failure')
})
