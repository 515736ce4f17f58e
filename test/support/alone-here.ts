import { ok } from '#base/result.ts'
import type { HostPorts } from '#engine/page-session.ts'
import { record } from '#test/core/monitor/watch.ts'
import { engineParts } from './engine-parts.ts'

/** Ports for an engine host that gets the lock, that no page reports gone, and whose only node is healthy. */
export const aloneHere = (): Omit<HostPorts, 'clock'> => ({
  ...engineParts(),
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
  transport: async () => ok({ status: 200, body: record('0x0001') }),
  openSigner: () => ({ signStatusRequest: async () => ok({ headers: {}, query: 'node_id=0x0001' }) }),
})
