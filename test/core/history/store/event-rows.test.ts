import { describe, expect, it } from 'vitest'
import type { EventArea, LogEntry } from '#history/event-log.ts'
import { seal, unseal } from '#history/store/envelope.ts'
import {
  byPlace,
  decodeEvents,
  encodeEvents,
  eventKeyOf,
  eventRowOf,
  holdsAreas,
  mayHoldNode,
  placeOf,
  rowFor,
  type PlacedEntry,
} from '#history/store/event-rows.ts'
import { quickPacker } from './kept-history.ts'

const placed = (seq: number, wallMs: number, given: Partial<LogEntry> = {}): PlacedEntry => ({
  seq,
  entry: { wallMs, area: 'alarm', what: 'gap', ...given },
})
const sealed = (plain: unknown) => seal(new TextEncoder().encode(JSON.stringify(plain)))
const NO_NODES = [0, 0, 0, 0, 0, 0, 0, 0]

describe('entries', () => {
  it('are in the order of their time, and of their number where that is the same', () => {
    const entries = [placed(9, 1), placed(2, 5), placed(1, 5), placed(3, 0)]
    expect(entries.toSorted(byPlace).map(placeOf)).toEqual([
      { wallMs: 0, seq: 3 },
      { wallMs: 1, seq: 9 },
      { wallMs: 5, seq: 1 },
      { wallMs: 5, seq: 2 },
    ])
  })
})

describe('the key of a row', () => {
  const row = { toMs: 9, fromMs: 3, seq: 7, count: 2, areas: 5, nodes: [1, 2, 3, 4, 5, 6, 7, 8] }

  it('begins with its newest entry, and tells all that is known of the row', () => {
    expect(eventKeyOf(row)).toEqual([9, 3, 7, 2, 5, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(eventRowOf(eventKeyOf(row))).toEqual(row)
  })

  it.each([
    ['is too short', [9, 3, 7, 2, 5, 1, 2, 3, 4, 5, 6, 7]],
    ['is too long', [9, 3, 7, 2, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['is empty', []],
    ['has a text in it', [9, 3, 7, 2, 5, 'x', 1, 2, 3, 4, 5, 6, 7, 8]],
    ['has a text for a number', [9, 3, 7, 2, '5', 1, 2, 3, 4, 5, 6, 7, 8]],
  ])('is none where it %s', (_what, key) => {
    expect(eventRowOf(key)).toBeUndefined()
  })
})

describe('what the key of a row tells', () => {
  it('is when its entries were, their first number and how many there are', () => {
    expect(rowFor([placed(8, 100), placed(5, 200), placed(6, 300)])).toEqual({
      fromMs: 100,
      toMs: 300,
      seq: 5,
      count: 3,
      areas: 1,
      nodes: NO_NODES,
    })
  })

  it('is which areas occur, a bit for each', () => {
    const areas: readonly EventArea[] = ['service', 'settings', 'service']
    const row = rowFor(areas.map((area, seq) => placed(seq, seq, { area })))
    expect(row.areas).toBe(0b100010)
    expect(holdsAreas(row, undefined)).toBe(true)
    expect(holdsAreas(row, ['service'])).toBe(true)
    expect(holdsAreas(row, ['alarm', 'settings'])).toBe(true)
    expect(holdsAreas(row, ['alarm', 'watching', 'record', 'operator'])).toBe(false)
    expect(holdsAreas(row, [])).toBe(false)
    expect(rowFor([placed(1, 1, { area: 'alarm' })]).areas).toBe(1)
  })

  it('is which nodes may occur: a bit for each, by the FNV-1a of its text', () => {
    // Of "foobar" that is bf9cf968 and of "foo" a9f37ed7, as published: bits 156 and 243 of 256.
    const row = rowFor(['foobar', 'foo', 'foobar'].map((nodeKey, seq) => placed(seq, seq, { nodeKey })))
    expect(row.nodes).toEqual([0, 0, 0, 0, 2 ** 28, 0, 0, 2 ** 19])
    expect(['foobar', 'foo', 'a', 'foob'].map((node) => mayHoldNode(row, node))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(mayHoldNode(row, undefined)).toBe(true)
  })

  it('keeps nodes that share a word of bits apart, and says of others that they may occur', () => {
    // e40c292c and e70c2de5: both have bit 12.
    const row = rowFor([placed(1, 1, { nodeKey: 'a' }), placed(2, 2, { nodeKey: 's!390' }), placed(3, 3)])
    expect(mayHoldNode(row, 'b')).toBe(true)
    expect(row.nodes).toEqual([2 ** 12, 0, 2 ** 31, 0, 0, 0, 0, 0])
    expect(mayHoldNode(row, 's!390')).toBe(true)
    // Bit 80, of the same word as bit 95.
    expect(mayHoldNode(row, 'foob')).toBe(false)
    const both = rowFor([placed(1, 1, { nodeKey: 'foob' }), placed(2, 2, { nodeKey: 's!390' })])
    expect(both.nodes[2]).toBe(2 ** 31 + 2 ** 16)
  })
})

describe('a row', () => {
  const whole = placed(4, 1_000, {
    area: 'settings',
    what: 'note',
    serviceMs: 990,
    serviceId: 's',
    nodeKey: 's!1',
    facts: { text: 'ä', count: 2, yes: true },
  })
  const plain = placed(5, 2_000)

  it('is a list of entries as plain JSON, whose places never change', async () => {
    const bytes = await encodeEvents([whole, plain], quickPacker)
    expect(bytes[0]).toBe(1)
    expect(JSON.parse(new TextDecoder().decode(await unseal(bytes, quickPacker)))).toEqual([
      [4, 1_000, 5, 'note', 990, 's', 's!1', { text: 'ä', count: 2, yes: true }],
      [5, 2_000, 0, 'gap', 0, 0, 0],
    ])
    expect(await decodeEvents(bytes, quickPacker)).toEqual([whole, plain])
  })

  it.each([
    [31, 1],
    [32, 2],
  ])('of %i entries has the format %i: many are deflated', async (count, format) => {
    const entries = Array.from({ length: count }, (_, seq) => placed(seq, seq))
    const bytes = await encodeEvents(entries, quickPacker)
    expect(bytes[0]).toBe(format)
    expect(await decodeEvents(bytes, quickPacker)).toEqual(entries)
  })

  it.each<[string, unknown]>([
    ['is damaged', sealed([]).with(3, 99)],
    ['is no bytes', 'text'],
    ['is no JSON', seal(new TextEncoder().encode('[1,'))],
    ['is no list', sealed({ 0: [4, 1, 0, 'gap', 0, 0, 0] })],
  ])('can not be read where it %s', async (_what, value) => {
    expect(await decodeEvents(value, quickPacker)).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['no list', { 0: 1, 1: 2, 2: 0, 3: 'gap' }],
    ['null', null],
    ['of no number', ['4', 1, 0, 'gap', 0, 0, 0]],
    ['of no time', [4, '1', 0, 'gap', 0, 0, 0]],
    ['of no name', [4, 1, 0, 7, 0, 0, 0]],
    ['of an area of a later version', [4, 1, 6, 'gap', 0, 0, 0]],
    ['of an area that is a text', [4, 1, '0', 'gap', 0, 0, 0]],
  ])('leaves out an entry that is none: %s', async (_what, entry) => {
    const good = [5, 2_000, 0, 'gap', 0, 0, 0]
    expect(await decodeEvents(sealed([entry, good]), quickPacker)).toEqual([plain])
  })

  it.each<[string, readonly unknown[]]>([
    ['a time of a service', ['990', 0, 0]],
    ['a service', [0, 7, 0]],
    ['a node', [0, 0, 7]],
    ['facts', [0, 0, 0, null]],
    ['facts', [0, 0, 0, 'facts']],
    ['facts', [0, 0, 0, { deep: {} }]],
    ['facts', [0, 0, 0, { good: 1, nothing: null }]],
  ])('leaves out what of an entry is not %s: %j', async (_what, rest) => {
    expect(await decodeEvents(sealed([[5, 2_000, 0, 'gap', ...rest]]), quickPacker)).toEqual([plain])
  })
})
