import { setImmediate } from 'node:timers'
import { describe, expect, it } from 'vitest'
import type { Gap, HistoryBatch, Sample } from '#history/history.ts'
import { createRecorder } from '#pipeline/recorder.ts'
import { keyOf } from '#test/core/monitor/watch.ts'

const sample = (atMs: number): Sample => ({
  node: keyOf(0),
  atMs,
  latencyMs: 1,
  outcome: 'answered',
})
const gap: Gap = { fromMs: 1, toMs: 2, reason: 'asleep' }
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function record() {
  const batches: HistoryBatch[] = []
  const ends: (() => void)[] = []
  const recorder = createRecorder({
    append: (batch) => {
      batches.push(batch)
      return new Promise((resolve) => ends.push(resolve))
    },
    forget: async () => undefined,
  })
  return { recorder, batches, ends }
}

describe('the recorder', () => {
  it('passes on new samples once per flush, and nothing if there are none', async () => {
    const { recorder, batches } = record()
    recorder.flush()
    recorder.sample(sample(1))
    recorder.sample(sample(2))
    recorder.flush()
    recorder.flush()
    recorder.sample(sample(3))
    recorder.flush()
    await settled()
    expect(batches).toEqual([
      { samples: [sample(1), sample(2)], gaps: [] },
      { samples: [sample(3)], gaps: [] },
    ])
  })

  it('keeps a gap between the samples before and after it', async () => {
    const { recorder, batches } = record()
    recorder.sample(sample(1))
    recorder.gap(gap)
    recorder.sample(sample(3))
    recorder.flush()
    recorder.gap(gap)
    recorder.flush()
    await settled()
    expect(batches).toEqual([
      { samples: [sample(1)], gaps: [] },
      { samples: [sample(3)], gaps: [gap] },
      { samples: [], gaps: [gap] },
    ])
  })

  it('has at most 4 batches in flight to a hanging store, and keeps the newest 100,000 samples', async () => {
    const { recorder, batches, ends } = record()
    for (let place = 0; place < 6; place++) {
      recorder.sample(sample(place))
      recorder.flush()
    }
    await settled()
    expect(batches).toHaveLength(4)
    for (let place = 6; place < 100_010; place++) recorder.sample(sample(place))
    recorder.flush()
    ends[0]?.()
    await settled()
    recorder.flush()
    await settled()
    expect(batches).toHaveLength(5)
    expect(batches[4]?.samples).toHaveLength(100_000)
    expect(batches[4]?.samples.at(-1)).toEqual(sample(100_009))
  })
})
