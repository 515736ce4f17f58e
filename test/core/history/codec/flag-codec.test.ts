import { describe, expect, it } from 'vitest'
import { createReader, createWriter, guarded, written } from '#history/codec/byte-stream.ts'
import { readFlags, turnChanges, turnRestarts, writeFlags } from '#history/codec/flag-codec.ts'
import type { Sample } from '#history/history.ts'
import { CHANGED, columnsOf, KNOWN, RESTARTED } from '#history/series.ts'
import { seriesOf } from '#test/core/history/samples.ts'

const seriesFor = (rows: readonly Partial<Sample>[]) =>
  seriesOf(
    rows.map((given, place) => ({
      node: 'n',
      atMs: place * 10,
      latencyMs: place,
      outcome: 'answered',
      ...given,
    })),
  )

const turnOnce = (turn: (flags: Uint8Array, start: number) => void, flags: readonly number[], start = 0) => {
  const turned = Uint8Array.from(flags)
  turn(turned, start)
  const twice = turned.slice()
  turn(twice, start)
  expect(Array.from(twice)).toEqual(flags)
  return Array.from(turned)
}

describe('that a counter began anew', () => {
  const totals = (...all: readonly (number | undefined)[]) => {
    const series = seriesFor(
      all.map((total) => (total === undefined ? { outcome: 'timeout' } : { threatResponses: total })),
    )
    const column = columnsOf(series, 'threatResponses')
    if (column === undefined) throw new Error('no such counter')
    return turnRestarts(series.columns, column)
  }

  it('is expected where its total is lower than at the answer before', () => {
    const turn = totals(5, 7, 7, 3, undefined, 2, undefined, 2, 9, 0)
    expect(
      turnOnce(
        turn,
        Array.from({ length: 10 }, () => 0),
      ),
    ).toEqual([0, 0, 0, 1, 0, 1, 0, 0, 0, 1].map((flag) => flag * RESTARTED))
    expect(
      turnOnce(
        turn,
        Array.from({ length: 10 }, () => RESTARTED),
      ),
    ).toEqual([1, 1, 1, 0, 1, 0, 1, 1, 1, 0].map((flag) => flag * RESTARTED))
  })

  it('is looked for among the rows that are asked for', () => {
    // The first of them has none before it.
    expect(turnOnce(totals(-1, 3), [0, 0])).toEqual([0, 0])
    expect(turnOnce(totals(9, 3, 1, 5, 4), [0, 0, 0], 1)).toEqual([0, RESTARTED, 0])
    expect(turnOnce(totals(9, 3, 1, 5, 4), [0, 0], 3)).toEqual([0, RESTARTED])
  })
})

describe('that a fingerprint is new', () => {
  const known = (rows: number) => Array.from({ length: rows }, () => KNOWN)
  const base: Partial<Sample> = {
    status: 'ACTIVE',
    stake: 1,
    participation: 0.5,
    threatResponses: 7,
    heartbeatAgeMs: 100,
  }

  it.each<[string, readonly Partial<Sample>[], readonly boolean[]]>([
    ['not where nothing else is', [base, { ...base, heartbeatAgeMs: 110 }], [false, false]],
    ['where a word is', [base, { ...base, status: 'IDLE', heartbeatAgeMs: 110 }], [false, true]],
    ['where a value is', [base, { ...base, stake: 2, heartbeatAgeMs: 110 }], [false, true]],
    ['where a heartbeat came', [base, { ...base, heartbeatAgeMs: 111 }], [false, true]],
    [
      'since the answer before, whatever lies between',
      [base, { outcome: 'timeout' }, { ...base, heartbeatAgeMs: 120 }, { ...base, heartbeatAgeMs: 129 }],
      [false, false, false, true],
    ],
  ])('is expected %s', (_, rows, expected) => {
    const turn = turnChanges(seriesFor(rows).columns)
    expect(turnOnce(turn, known(rows.length))).toEqual(expected.map((is) => (is ? KNOWN | CHANGED : KNOWN)))
  })

  it('is expected only where there is one', () => {
    const turn = turnChanges(seriesFor([base, { ...base, stake: 2 }, { ...base, stake: 3 }]).columns)
    expect(turnOnce(turn, [0, 0, KNOWN])).toEqual([0, 0, KNOWN | CHANGED])
  })

  it('is looked for among the rows that are asked for', () => {
    const stakes = [1, 2, 3, 3].map((stake, place) => ({ ...base, stake, heartbeatAgeMs: 100 + place * 10 }))
    expect(turnOnce(turnChanges(seriesFor(stakes).columns), known(3), 1)).toEqual([
      KNOWN,
      KNOWN | CHANGED,
      KNOWN,
    ])
  })
})

describe('flags', () => {
  const all = (flag: number) => (flags: Uint8Array, _start: number) => {
    for (const row of [2, 3, 7]) if (row < flags.length) flags[row] = (flags[row] ?? 0) ^ flag
  }
  const given = Uint8Array.of(0, 0, 1, 1, 0, 0, 0, 1, 0)

  it('are written as they are not expected, where that is shorter, and as they are else', () => {
    const writer = createWriter()
    writeFlags(writer, given, all(1), 0, 9)
    expect(Array.from(written(writer))).toEqual([1, 0, 9])
    const plain = createWriter()
    writeFlags(plain, Uint8Array.of(0, 0, 0), all(1), 0, 3)
    expect(Array.from(written(plain))).toEqual([0, 0, 3])
    const same = createWriter()
    writeFlags(same, Uint8Array.of(1, 0, 0), () => undefined, 0, 3)
    expect(Array.from(written(same))).toEqual([0, 1, 1, 0, 2])
    // What lies beside a part is no change in it.
    const beside = createWriter()
    writeFlags(beside, Uint8Array.of(1, 0, 0, 0), () => undefined, 1, 4)
    expect(Array.from(written(beside))).toEqual([0, 0, 3])
    const before = createWriter()
    writeFlags(before, Uint8Array.of(0, 0, 1, 1), all(1), 0, 3)
    expect(Array.from(written(before))).toEqual([1, 0, 3])
    const part = createWriter()
    writeFlags(part, Uint8Array.of(1, ...given, 1), all(1), 1, 10)
    expect(Array.from(written(part))).toEqual([1, 0, 9])
  })

  it('come back, and nothing behind them is touched', () => {
    const read = new Uint8Array(12)
    readFlags(createReader(Uint8Array.of(1, 0, 7)), read, all(1), 7)
    expect(Array.from(read)).toEqual([0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    readFlags(createReader(Uint8Array.of(0, 3, 7)), read, all(1), 7)
    expect(Array.from(read)).toEqual([3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0])
  })

  it.each([
    ['in an unknown form', [2, 0, 7]],
    ['that are none', [0, 4, 7]],
  ])('%s are refused', (_, bytes) => {
    const reader = createReader(Uint8Array.from(bytes))
    expect(guarded(() => readFlags(reader, new Uint8Array(7), all(1), 7) ?? 'read')).toBeUndefined()
  })
})
