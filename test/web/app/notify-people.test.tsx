import { beforeEach, expect, it, vi } from 'vitest'
import { CHANNEL_DEFAULTS, readChannels } from '#alarms/channels.ts'
import { notifyPeople } from '#app/notify-people.ts'
import type { Announcement, EngineCalls } from '#engine/bridge.ts'
import { alarm, notice } from '#test/core/delivery/outgoing.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'
import { settle } from '#test/support/fake-clock.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'

const shown: string[] = []
beforeEach(() => {
  shown.length = 0
  localStorage.clear()
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal(
    'Notification',
    class extends EventTarget {
      static readonly permission = 'granted'
      constructor(title: string) {
        super()
        shown.push(title)
      }
    },
  )
})

function notifying() {
  const setPageFacts = vi.fn<EngineCalls['setPageFacts']>(async () => undefined)
  const setChannels = vi.fn<EngineCalls['setChannels']>(async () => undefined)
  let announce: (announcement: Announcement) => unknown = () => undefined
  const dashboard = fakeDashboard({
    engine: {
      setPageFacts,
      setChannels,
      watchAnnouncements: async (listener) => {
        announce = listener
      },
    },
  })
  notifyPeople(dashboard)
  const notification = notice('1', 'problem', [alarm('a', { severity: 'critical' })])
  const tellOf = (agoMs: number): unknown =>
    announce({ kind: 'notification', notification, atMs: dashboard.nowMs() - agoMs })
  return { ...dashboard, setPageFacts, setChannels, tellOf }
}

it('a page skips a notification more than five seconds old, because another page has shown it', () => {
  const { tellOf } = notifying()
  tellOf(5_001)
  expect(shown).toHaveLength(0)
  tellOf(5_000)
  expect(shown).toHaveLength(1)
})

it('a page sends its facts to the engine when they change, not every second', () => {
  const { setPageFacts, advance, health } = notifying()
  advance(1_000)
  advance(1_000)
  expect(setPageFacts).toHaveBeenCalledTimes(1)
  health.publish({ ...health.get(), errors: 1 })
  expect(setPageFacts).toHaveBeenCalledTimes(2)
  expect(setPageFacts).toHaveBeenLastCalledWith(expect.objectContaining({ errors: 1 }))
})

it('a page applies saved channels at once, after a reload, and when another tab saves them', () => {
  const { notifier, setChannels } = notifying()
  const channels = { ...CHANNEL_DEFAULTS, sound: 'critical' as const }
  notifier.get()?.save(channels)
  expect(setChannels).toHaveBeenLastCalledWith([], 'critical')
  expect(notifier.get()).toMatchObject({ channels, isKept: true, isSoundMissed: true })
  expect(notifying().setChannels).toHaveBeenLastCalledWith([], 'critical')
  localStorage.setItem('immune-channels', JSON.stringify({ ...channels, sound: 'off' }))
  window.dispatchEvent(new StorageEvent('storage', { key: 'immune-channels' }))
  expect(setChannels).toHaveBeenLastCalledWith([], 'off')
  expect(notifier.get()).toMatchObject({ channels: { sound: 'off' }, isSoundMissed: false })
})

const ofWatch = { id: 'pager', kind: 'ntfy', via: 'relay', name: 'Pager', from: 'watch' }
const chosen =
  readChannels({ ...CHANNEL_DEFAULTS, sendTo: [{ ...ofWatch, from: 'info' }] }) ?? CHANNEL_DEFAULTS

it('a page retries the server watch’s receiver list, and then sends its receivers only tests', async () => {
  vi.useFakeTimers()
  vi.stubGlobal(
    'fetch',
    vi
      .fn<typeof fetch>()
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
      .mockImplementation(async () => Response.json({ receivers: [ofWatch] })),
  )
  const { configuration, notifier, setChannels } = notifying()
  notifier.get()?.save(chosen)
  const now = configuration.get()
  configuration.publish({ ...now, server: { ...now.server, watch: { version: 1 } } })
  await vi.advanceTimersByTimeAsync(0)
  expect(setChannels.mock.lastCall?.[0]).toEqual([expect.objectContaining({ id: 'pager', from: 'info' })])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(setChannels.mock.lastCall?.[0]).toEqual([expect.objectContaining({ id: 'pager', isTestOnly: true })])
  vi.useRealTimers()
})

it('a page keeps sending to its receivers if the server’s watch stops while their list is read', async () => {
  const answer = withResolvers<Response>()
  vi.stubGlobal('fetch', async () => answer.promise)
  const { configuration, notifier, setChannels } = notifying()
  notifier.get()?.save(chosen)
  const now = configuration.get()
  configuration.publish({ ...now, server: { ...now.server, watch: { version: 1 } } })
  configuration.publish(now)
  answer.resolve(Response.json({ receivers: [ofWatch] }))
  await settle(4)
  expect(setChannels.mock.lastCall?.[0]).toEqual([expect.objectContaining({ id: 'pager', from: 'info' })])
})
