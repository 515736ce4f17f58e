import { describe, expect, it } from 'vitest'
import type { LogEntry } from '#history/event-log.ts'
import { createEventBuffer, EVENTS_WAITING_MAX, type EventBuffer } from '#history/store/event-buffer.ts'

const entry = (wallMs: number): LogEntry => ({ wallMs, area: 'record', what: 'gap' })
const entries = (count: number) => Array.from({ length: count }, (_, place) => entry(place))
const numbersIn = (buffer: EventBuffer) => buffer.waiting().map(({ seq }) => seq)

describe('entries that wait to be kept', () => {
  it('have numbers in the order in which they came, and lie within their bounds', () => {
    const buffer = createEventBuffer()
    expect([buffer.waiting(), buffer.lastSeq(), buffer.open]).toEqual([[], 0, undefined])
    buffer.add([entry(5.4), entry(3)])
    buffer.add([entry(4)])
    expect(buffer.waiting()).toEqual([
      { seq: 1, entry: entry(5) },
      { seq: 2, entry: entry(3) },
      { seq: 3, entry: entry(4) },
    ])
    expect(buffer.lastSeq()).toBe(3)
  })

  it('go once they are kept, and those that came meanwhile wait on', () => {
    const buffer = createEventBuffer()
    buffer.add(entries(2))
    const kept = buffer.waiting()
    buffer.add(entries(1))
    buffer.kept(kept)
    expect(numbersIn(buffer)).toEqual([3])
  })

  it('are as many as there is room for: then the oldest go, and are counted until that is asked', () => {
    const buffer = createEventBuffer()
    buffer.add(entries(1))
    expect(buffer.takeDropped()).toBe(0)
    buffer.add(entries(EVENTS_WAITING_MAX - 1))
    expect([buffer.waiting().length, buffer.takeDropped()]).toEqual([EVENTS_WAITING_MAX, 0])
    buffer.add(entries(2))
    buffer.add(entries(1))
    expect([buffer.waiting().length, numbersIn(buffer)[0]]).toEqual([EVENTS_WAITING_MAX, 4])
    expect([buffer.takeDropped(), buffer.takeDropped()]).toEqual([3, 0])
  })
})

describe('the numbers of entries', () => {
  it('go on after those that are kept, where nothing waits', () => {
    const buffer = createEventBuffer()
    buffer.numberFrom(7)
    expect(buffer.lastSeq()).toBe(7)
    for (const lower of [5, 6, 7]) {
      buffer.numberFrom(lower)
      expect(buffer.lastSeq()).toBe(7)
    }
    buffer.add(entries(1))
    expect(numbersIn(buffer)).toEqual([8])
  })

  it('stay where those that are kept are lower', () => {
    const buffer = createEventBuffer()
    buffer.numberFrom(3)
    buffer.add(entries(2))
    buffer.numberFrom(3)
    expect([numbersIn(buffer), buffer.lastSeq()]).toEqual([[4, 5], 5])
  })

  it.each([
    [4, [5, 6], 6],
    [5, [6, 7], 7],
    [20, [21, 22], 22],
  ])('are given anew where up to %i are taken', (lastSeq, numbers, last) => {
    const buffer = createEventBuffer()
    buffer.numberFrom(3)
    buffer.add(entries(2))
    buffer.numberFrom(lastSeq)
    expect([numbersIn(buffer), buffer.lastSeq()]).toEqual([numbers, last])
    expect(buffer.waiting().map((one) => one.entry)).toEqual(entries(2))
  })
})

describe('the revision', () => {
  it('grows with what is added, and when what was kept is found', () => {
    const buffer = createEventBuffer()
    const seen: number[] = []
    buffer.revision.subscribe(() => seen.push(buffer.revision.get()))
    buffer.add([])
    expect(seen).toEqual([])
    buffer.add(entries(2))
    buffer.kept(buffer.waiting())
    buffer.found()
    expect([seen, buffer.revision.get()]).toEqual([[1, 2], 2])
  })
})
