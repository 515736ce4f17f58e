import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createGeneration } from '#platform/page-life.ts'

const KEY = 'test-generation'
/** Simulates a write by another tab. */
const writtenElsewhere = (value: string): void => {
  localStorage.setItem(KEY, value)
  window.dispatchEvent(new StorageEvent('storage', { key: KEY, newValue: value }))
}

describe('the generation of a Worker', () => {
  beforeEach(() => localStorage.clear())

  it('advances by one or to another page’s higher number, where a later page starts', () => {
    const moved = vi.fn<() => void>()
    const one = createGeneration(KEY, moved)
    expect(one.now()).toBe(0)
    one.next(0)
    // Another page that saw the same Worker die must reach the same number.
    const other = createGeneration(KEY, () => undefined)
    expect([one.now(), other.now()]).toEqual([1, 1])
    other.next(0)
    expect(other.now()).toBe(1)
    writtenElsewhere('4')
    expect([one.now(), moved.mock.calls.length]).toEqual([4, 1])
    writtenElsewhere('2')
    expect([one.now(), moved.mock.calls.length]).toEqual([4, 1])
  })

  it.each(['none', '-1', '1e99', '2.5'])('starts at 0 if %s is stored', (kept) => {
    localStorage.setItem(KEY, kept)
    expect(createGeneration(KEY, () => undefined).now()).toBe(0)
  })

  it('is neither stored nor shared if each page has its own Worker', () => {
    const moved = vi.fn<() => void>()
    const own = createGeneration(undefined, moved)
    own.next(0)
    writtenElsewhere('9')
    expect([own.now(), moved.mock.calls.length, localStorage.getItem('undefined')]).toEqual([1, 0, null])
  })

  it('still advances if nothing can be stored', () => {
    const blocked = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('blocked')
    })
    const one = createGeneration(KEY, () => undefined)
    one.next(0)
    one.next(1)
    expect(one.now()).toBe(2)
    blocked.mockRestore()
  })
})
