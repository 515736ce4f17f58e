import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createGeneration } from '#platform/page-life.ts'

const KEY = 'test-generation'
/** As another tab's write reaches this one. */
const writtenElsewhere = (value: string): void => {
  localStorage.setItem(KEY, value)
  window.dispatchEvent(new StorageEvent('storage', { key: KEY, newValue: value }))
}

describe('the generation of a Worker that pages share', () => {
  beforeEach(() => localStorage.clear())

  it('is the one that another page came to, or the next; and a page that comes later begins there', () => {
    const moved = vi.fn<() => void>()
    const one = createGeneration(KEY, moved)
    expect(one.now()).toBe(0)
    one.next(0)
    // The same Worker died for another page, too: it comes to the same number.
    const other = createGeneration(KEY, () => undefined)
    expect([one.now(), other.now()]).toEqual([1, 1])
    other.next(0)
    expect(other.now()).toBe(1)
    writtenElsewhere('4')
    expect([one.now(), moved.mock.calls.length]).toEqual([4, 1])
    writtenElsewhere('2')
    expect([one.now(), moved.mock.calls.length]).toEqual([4, 1])
  })

  it.each(['none', '-1', '1e99', '2.5'])('begins at 0 where %s is kept', (kept) => {
    localStorage.setItem(KEY, kept)
    expect(createGeneration(KEY, () => undefined).now()).toBe(0)
  })

  it('is this page’s own matter where each page has a Worker of its own', () => {
    const moved = vi.fn<() => void>()
    const own = createGeneration(undefined, moved)
    own.next(0)
    writtenElsewhere('9')
    expect([own.now(), moved.mock.calls.length, localStorage.getItem('undefined')]).toEqual([1, 0, null])
  })

  it('goes on where nothing can be kept', () => {
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
