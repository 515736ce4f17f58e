import { METRICS } from '#metrics/metrics.ts'
import type { HostPorts } from '#engine/page-session.ts'

/** What an engine's host is given where no other engine runs, and no page ever says that it is gone. */
export const aloneHere = (): Pick<
  HostPorts,
  'id' | 'metrics' | 'lock' | 'life' | 'whenGone' | 'testStorage' | 'close'
> => ({
  id: '0123456789abcdef',
  metrics: METRICS,
  lock: {
    acquire: ({ granted }) => {
      queueMicrotask(granted)
      return { end: () => undefined, steal: () => undefined }
    },
    confirm: async () => true,
  },
  life: Promise.resolve(undefined),
  whenGone: () => () => undefined,
  testStorage: () => Promise.reject(new Error('there is no storage')),
  close: () => undefined,
})
