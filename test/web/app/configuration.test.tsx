import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createConfiguration } from '#app/configuration.ts'
import { keptCopies, undoSteps } from '#platform/kept-settings.ts'
import { EMPTY_SETTINGS, type Effective } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { screenProblemTexts } from '#texts/en-screen-problems.ts'
import { aService, BASE_URL } from '#test/support/fleet-fixture.ts'

const OWN: Settings = { ...EMPTY_SETTINGS, services: [aService({ label: 'mine' })], nodes: [] }
const SERVERS = {
  version: 1,
  services: [{ baseUrl: 'https://servers.example' }],
  nodes: [],
  canAddServices: true,
}

const answer = (body: string, init: ResponseInit = {}): void => {
  const headers = { 'Content-Type': 'application/json' }
  vi.stubGlobal('fetch', async () => new Response(body, { headers, ...init }))
}

function setUp() {
  const atWork: Effective[] = []
  const owner = createConfiguration((effective) => void atWork.push(effective))
  const names = () => owner.store.get().effective.services.map(({ label, baseUrl }) => label ?? baseUrl)
  return { owner, atWork, names }
}

type Known = { readonly mark: string; readonly read?: object }

function changeKnown(change: (known: Known) => Known, key = 'immune-settings-known'): void {
  localStorage.setItem(key, JSON.stringify(change(JSON.parse(localStorage.getItem(key) ?? '{}'))))
}

beforeEach(() => localStorage.clear())

describe('the configuration', () => {
  it('combines this browser’s settings with the server’s, and applies both', async () => {
    answer(JSON.stringify(SERVERS))
    const { owner, atWork, names } = setUp()
    expect(owner.save(OWN)).toBe(true)
    await owner.start()
    expect(owner.store.get().problem).toBeUndefined()
    expect(owner.store.get().server.canAddServices).toBe(true)
    expect(names().toSorted()).toEqual(['https://servers.example', 'mine'])
    expect(atWork).toHaveLength(2)
    expect(atWork.at(-1)).toBe(owner.store.get().effective)
    // A page that opens later has the saved settings at once.
    await expect.poll(() => setUp().names()).toEqual(['mine'])
  })

  it.each<[string, () => void]>([
    ['another build read them last', () => changeKnown(({ mark }) => ({ mark: `another${mark}` }))],
    [
      'they have changed since',
      () => {
        const text = localStorage.getItem('immune-settings') ?? ''
        localStorage.setItem('immune-settings', text.replace('mine', 'ours'))
      },
    ],
    ['the note about them is unreadable', () => localStorage.setItem('immune-settings-known', '{')],
  ])('shows saved settings only after a schema check when %s', async (_what, happens) => {
    answer('', { status: 404 })
    setUp().owner.save(OWN)
    await expect.poll(() => setUp().names()).toEqual(['mine'])
    happens()
    const { owner, names } = setUp()
    expect(names()).toEqual([])
    await owner.start()
    expect(names()).toHaveLength(1)
    expect(owner.store.get().problem).toBeUndefined()
    expect(setUp().names()).toEqual(names())
  })

  it('keeps an undo step for each save, and drops a step once it is restored', () => {
    const { owner } = setUp()
    owner.save(OWN)
    owner.save({ ...OWN, services: [...OWN.services, aService({ baseUrl: 'https://second.example' })] })
    const countOf = ({ text }: { readonly text: string }): number => JSON.parse(text).services.length
    const before = undoSteps().find((step) => countOf(step) === 1)
    expect(new Set(undoSteps().map(countOf))).toEqual(new Set([0, 1]))
    owner.restore(OWN, before?.atMs ?? 0)
    expect(undoSteps()).not.toContainEqual(before)
    expect(owner.store.get().settings).toEqual(OWN)
  })

  it('replaces saved values that the schema rejects, and reports them', async () => {
    answer('', { status: 404 })
    setUp().owner.save({ ...OWN, services: [{ ...aService(), pollIntervalMs: 1 }] })
    const { owner } = setUp()
    await owner.start()
    expect(owner.store.get().problem).toBe('partly-read')
    expect(owner.store.get().settings.services[0]?.pollIntervalMs).toBe(15_000)
  })

  it('rereads the server’s file every minute, and reports errors while keeping the settings', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed')))
    const { owner, atWork, names } = setUp()
    owner.save(OWN)
    await owner.start()
    const now = () => owner.store.get()
    expect([now().problem, now().configProblem]).toEqual(['config-unreadable', { kind: 'no-answer' }])
    answer(JSON.stringify({ ...SERVERS, services: [{ baseUrl: 'x', privateKey: 'y' }] }))
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => now().configProblem?.kind).toBe('invalid')
    expect(screenProblemTexts.configReason(now())).toContain(
      'services.0.privateKey: every visitor can read this file',
    )
    answer(JSON.stringify(SERVERS))
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => now().problem).toBeUndefined()
    expect(names().toSorted()).toEqual(['https://servers.example', 'mine'])
    expect(screenProblemTexts.configReason(now())).toBe('')
    answer(JSON.stringify({ ...SERVERS, fileProblems: ['services.0.baseUrl: is wrong.'] }))
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => now().problem).toBe('config-refused')
    expect(screenProblemTexts.configReason(now())).toContain('services.0.baseUrl: is wrong.')
    expect(names().toSorted()).toEqual(['https://servers.example', 'mine'])
    answer(JSON.stringify(SERVERS))
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => now().problem).toBeUndefined()
    const before = atWork.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(atWork).toHaveLength(before)
    answer('{"version":')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(names().toSorted()).toEqual(['https://servers.example', 'mine'])
    answer(JSON.stringify({ ...SERVERS, services: [{ baseUrl: 'https://new.example' }] }))
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => names().toSorted()).toEqual(['https://new.example', 'mine'])
  })

  it('applies settings saved in another tab, and ignores other storage keys', async () => {
    answer('', { status: 404 })
    const { owner, atWork, names } = setUp()
    await owner.start()
    expect(names()).toEqual([])
    setUp().owner.save(OWN)
    window.dispatchEvent(new StorageEvent('storage', { key: 'immune-settings' }))
    await expect.poll(() => names()).toEqual(['mine'])
    expect(atWork.at(-1)?.services[0]?.baseUrl).toBe(BASE_URL)
    window.dispatchEvent(new StorageEvent('storage', { key: 'of something else' }))
    expect(atWork).toHaveLength(2)
    // Settings saved here while those of the other tab are still being read are newer.
    window.dispatchEvent(new StorageEvent('storage', { key: 'immune-settings' }))
    owner.save(EMPTY_SETTINGS)
    await vi.dynamicImportSettled()
    expect(names()).toEqual([])
  })

  it.each<[string, () => void]>([
    ['is not JSON', () => answer('<!doctype', { headers: { 'Content-Type': 'application/json' } })],
    ['has an unknown version', () => answer('{"version":99}')],
    ['comes with an error status', () => answer('{}', { status: 500 })],
    ['does not arrive', () => vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed')))],
  ])('reports a server file that %s, and keeps its own settings', async (_what, given) => {
    given()
    const { owner, names } = setUp()
    owner.save(OWN)
    await owner.start()
    expect(owner.store.get().problem).toBe('config-unreadable')
    expect(names()).toEqual(['mine'])
  })

  it('starts without damaged settings, reports them until the next save, and keeps a copy', async () => {
    localStorage.setItem('immune-settings', '{"version":1,')
    answer('', { status: 404 })
    const { owner, names } = setUp()
    await owner.start()
    expect([owner.store.get().problem, names()]).toEqual(['unreadable', []])
    expect(keptCopies().map(({ text }) => text)).toEqual(['{"version":1,'])
    owner.save(OWN)
    expect(owner.store.get().problem).toBeUndefined()
  })

  it('applies settings to this tab, and reports them as not saved, when storage is full', () => {
    const { owner, names } = setUp()
    const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    expect(owner.save(OWN)).toBe(false)
    full.mockRestore()
    expect([owner.store.get().problem, names()]).toEqual(['not-saved', ['mine']])
  })
})
