import { expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import type { Sample } from '#history/history.ts'
import { createKept, linesOf } from './kept-history.ts'

const bytesIn = ({ storage }: ReturnType<typeof createKept>, table: string): number =>
  Array.from(storage.databases.values())
    .flatMap((tables) => Array.from(tables.get(table)?.values() ?? []))
    .reduce((sum, { value }) => sum + (value instanceof Uint8Array ? value.length : 0), 0)

/** Polls each of the nodes once, then advances the clock by `everyMs`. */
async function pollAll(kept: ReturnType<typeof createKept>, nodes: number, everyMs: number): Promise<void> {
  const samples = Array.from({ length: nodes }, (_, place): Sample => ({
    node: `s!${place}`,
    atMs: kept.clock.wallMs() + (place % 1_000),
    everyMs,
    latencyMs: 20 + (place % 7),
    outcome: 'answered',
    status: 'ACTIVE',
    participation: 0.99,
    threatResponses: 7,
  }))
  await kept.history.append({ samples, gaps: [] })
  kept.clock.stepWall(everyMs)
}

async function started() {
  const kept = createKept()
  await kept.start()
  await kept.clock.advance(0)
  return kept
}

it('each flush of 20,000 nodes is one transaction of less than 10 bytes per poll', async () => {
  const kept = await started()
  const [nodes, rounds] = [20_000, 3]
  await kept.history.saved()
  const { write } = kept.storage.counts
  for (let round = 0; round < rounds; round++) {
    await pollAll(kept, nodes, DAY_MS / rounds)
    await kept.history.saved()
  }
  expect(kept.storage.counts.write - write).toBe(rounds)
  expect(bytesIn(kept, 'recent') / (rounds * nodes)).toBeLessThan(10)
})

it('an hour of 160 nodes is compacted in one transaction per 16 nodes', async () => {
  const kept = await started()
  for (let round = 0; round < 6; round++) await pollAll(kept, 160, 10 * MINUTE_MS)
  await kept.history.saved()
  const { write } = kept.storage.counts
  await kept.history.maintain()
  // One more deletes the recent rows.
  expect(kept.storage.counts.write - write).toBe(160 / 16 + 1)
  expect([bytesIn(kept, 'recent'), kept.history.state.head.size()]).toEqual([0, 0])
})

it('a month of a node is imported in two transactions, with equal bytes for each of five nodes', async () => {
  const source = await started()
  for (let poll = 0; poll < 30 * 96; poll++) await pollAll(source, 1, 15 * MINUTE_MS)
  const toMs = source.clock.wallMs()
  const query = { node: 's!0', fromMs: 0, toMs, tier: 'samples', form: 'json' } as const
  const { text } = await source.transfer({ what: 'export', query })
  const kept = await started()
  kept.clock.stepWall(31 * DAY_MS)
  const costs: (readonly [writes: number, bytes: number])[] = []
  for (let node = 0; node < 5; node++) {
    const [{ write }, bytes] = [{ ...kept.storage.counts }, bytesIn(kept, 'blocks')]
    const file = linesOf(text.replace('"s!0"', `"s!${node}"`))
    const { end } = await kept.transfer({ what: 'import', file })
    expect(end).toMatchObject({ kind: 'done', rows: 30 * 96 })
    costs.push([kept.storage.counts.write - write, bytesIn(kept, 'blocks') - bytes])
  }
  expect(new Set(costs.map(([writes]) => writes))).toEqual(new Set([2]))
  expect(new Set(costs.map(([, bytes]) => bytes)).size).toBe(1)
})
