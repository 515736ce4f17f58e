import { beforeEach, expect, it, vi } from 'vitest'
import { keepHistory } from '#app/keep-history.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import { FIRST_STATUS, type HistoryStatus } from '#history/history-status.ts'
import { loadSentinel } from '#platform/history-sentinel.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'

beforeEach(() => localStorage.clear())

const UTC = { ...EMPTY_SETTINGS, display: { ...EMPTY_SETTINGS.display, timeZone: 'utc' as const } }
const LOCAL = { ...EMPTY_SETTINGS, display: { ...EMPTY_SETTINGS.display, timeZone: 'local' as const } }

async function kept(readEvents?: EngineCalls['readEvents']) {
  const appendEvents = vi.fn<EngineCalls['appendEvents']>(async () => undefined)
  const setRetention = vi.fn<EngineCalls['setRetention']>(async () => undefined)
  let tell: (status: HistoryStatus) => void = () => undefined
  const dashboard = fakeDashboard({
    settings: UTC,
    engine: {
      appendEvents,
      setRetention,
      ...(readEvents && { readEvents }),
      keepHistory: async (_, listener) => {
        tell = listener
      },
    },
  })
  await keepHistory(dashboard)
  return { ...dashboard, appendEvents, setRetention, tell: (status: HistoryStatus) => tell(status) }
}

it('only the tab that saved changed settings records them in the journal, once', async () => {
  const { configuration, appendEvents } = await kept()
  const before = configuration.get()
  configuration.publish({ ...before, settings: LOCAL, isOwnSave: false })
  expect(appendEvents).not.toHaveBeenCalled()
  configuration.publish({ ...before, settings: UTC, isOwnSave: true })
  configuration.publish({ ...before, settings: UTC, isOwnSave: true })
  expect(appendEvents).toHaveBeenCalledTimes(1)
  expect(appendEvents.mock.calls[0]?.[0]).toMatchObject([{ what: 'settings-saved' }])
})

it('the engine receives a changed retention, but no other saved setting', async () => {
  const { configuration, setRetention } = await kept()
  const before = configuration.get()
  configuration.publish({ ...before, settings: LOCAL })
  expect(setRetention).not.toHaveBeenCalled()
  const history = { ...LOCAL.history, sampleDays: 3 }
  configuration.publish({ ...before, settings: { ...LOCAL, history } })
  expect(setRetention).toHaveBeenCalledExactlyOnceWith(history)
})

it('the page saves the history sentinel only while history is kept', async () => {
  const { tell } = await kept()
  const sentinel = { version: 2, lastMs: 1_000 } as const
  tell({ ...FIRST_STATUS, state: 'not-kept', sentinel })
  expect(loadSentinel()).toBeUndefined()
  tell({ ...FIRST_STATUS, state: 'kept', sentinel })
  expect(loadSentinel()).toEqual(sentinel)
})

it('the page records an overdue backup only if the journal does not have it yet', async () => {
  const searched: string[] = []
  const { tell, appendEvents } = await kept(async ({ text = '' }) => {
    searched.push(text)
    const noted = { id: '1', wallMs: 0, area: 'operator', what: text } as const
    return { entries: text === 'backup-overdue' ? [noted] : [], before: undefined }
  })
  tell({ ...FIRST_STATUS, state: 'kept', reach: { ...FIRST_STATUS.reach, hour: 0 } })
  await vi.waitFor(() => expect(searched).toEqual(['backup-made', 'backup-overdue']))
  expect(appendEvents).not.toHaveBeenCalled()
})
