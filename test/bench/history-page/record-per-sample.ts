import { openDB } from 'idb'
import type { Sample } from '#history/history.ts'

const TABLE = 'samples'
const VALUES = ['heartbeatAgeMs', 'participation', 'stake', 'latencyMs'] as const

export type Columns = {
  readonly samples: number
  /** Lowest and highest value per pixel column, for each metric. */
  readonly values: Readonly<Record<(typeof VALUES)[number], readonly { min: number; max: number }[]>>
}

/** The obvious way to store samples: one object each, by node and time. */
export type Records = {
  /** Writes all samples in one transaction. */
  readonly put: (samples: readonly Sample[]) => Promise<void>
  readonly columns: (node: string, fromMs: number, toMs: number, count: number) => Promise<Columns>
  readonly close: () => void
}

export async function openRecords(): Promise<Records> {
  const database = await openDB('record-per-sample', 1, {
    upgrade: (created) => {
      created.createObjectStore(TABLE, { keyPath: ['node', 'atMs'] })
    },
  })
  return {
    put: async (samples) => {
      const transaction = database.transaction(TABLE, 'readwrite', { durability: 'relaxed' })
      for (const sample of samples) transaction.store.put(sample).catch(() => undefined)
      await transaction.done
    },
    columns: async (node, fromMs, toMs, count) => {
      const samples: readonly Sample[] = await database.getAll(
        TABLE,
        IDBKeyRange.bound([node, fromMs], [node, toMs], false, true),
      )
      return { samples: samples.length, values: columnsOf(samples, fromMs, toMs, count) }
    },
    close: () => database.close(),
  }
}

function columnsOf(
  samples: readonly Sample[],
  fromMs: number,
  toMs: number,
  count: number,
): Columns['values'] {
  const empty = () =>
    Array.from({ length: count }, () => ({ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }))
  const values = { heartbeatAgeMs: empty(), participation: empty(), stake: empty(), latencyMs: empty() }
  for (const sample of samples) {
    const place = Math.floor(((sample.atMs - fromMs) / (toMs - fromMs)) * count)
    for (const name of VALUES) {
      const value = sample[name]
      const column = values[name][place]
      if (typeof value !== 'number' || column === undefined) continue
      column.min = Math.min(column.min, value)
      column.max = Math.max(column.max, value)
    }
  }
  return values
}
