import type { RaisedAlarms } from '#alarms/alarm-rows.ts'
import type { AlarmStore } from '#alarms/alarm-store.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { ok } from '#base/result.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { EnginePorts } from '#pipeline/engine.ts'
import type { AlarmStage } from '#pipeline/pipeline.ts'
import type { ReadingStore } from '#pipeline/reading-keeper.ts'
import { createMemoryHistory } from './memory-history.ts'

/** A monitor's parts unless a test sets others. */
export const MONITOR_PARTS = {
  metrics: METRICS,
  inFlightMax: () => DEFAULTS.inFlightPerHostMax,
  isBatching: () => false,
  verify: async () => true,
}

export const KEEPS_NO_ALARMS: AlarmStore = { load: async () => undefined, save: async () => true }
export const KEEPS_NO_READINGS: ReadingStore = { load: async () => undefined, save: async () => undefined }
export const RAISES_NOTHING: AlarmStage = {
  evaluate: () => undefined,
  raised: () => NOTHING_RAISED,
  publish: () => undefined,
}
const NOTHING_RAISED: RaisedAlarms = new Map()

/** An engine's parts unless a test sets others: nothing outlives it, and every receiver takes what it is sent. */
export const engineParts = (): Omit<EnginePorts, 'clock' | 'transport' | 'signer' | 'notify'> => ({
  ...MONITOR_PARTS,
  id: '0123456789abcdef',
  history: createMemoryHistory(),
  alarmStore: KEEPS_NO_ALARMS,
  readingStore: KEEPS_NO_READINGS,
  delivery: {
    post: async () => ok({ status: 200, answer: '' }),
    storage: { load: async () => undefined, save: async () => undefined },
    texts: () => ({
      describe: () => ({ title: '', text: '', link: '' }),
      summary: () => '',
      details: () => ({ facts: [], nodes: [], nodeCount: 0 }),
      test: { text: '', link: '' },
    }),
  },
})
