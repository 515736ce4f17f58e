import { describe, expect, it } from 'vitest'
import { createStore } from '#base/store.ts'

describe('a store', () => {
  it('holds the last published value', () => {
    const store = createStore('first')
    expect(store.get()).toBe('first')
    store.publish('second')
    expect(store.get()).toBe('second')
  })

  it('notifies its subscribers after the value has changed', () => {
    const store = createStore(1)
    const seen: number[] = []
    store.subscribe(() => seen.push(store.get()))
    store.publish(2)
    store.publish(3)
    expect(seen).toEqual([2, 3])
  })

  it('does not notify if the same value is published again, even NaN', () => {
    for (const value of [1, Number.NaN, undefined, 'x']) {
      const store = createStore<unknown>(value)
      let calls = 0
      store.subscribe(() => calls++)
      store.publish(value)
      expect(calls).toBe(0)
    }
  })

  it('does not notify after a subscription has ended', () => {
    const store = createStore(1)
    let calls = 0
    const end = store.subscribe(() => calls++)
    store.publish(2)
    end()
    end()
    store.publish(3)
    expect(calls).toBe(1)
  })

  it('still notifies the others if a subscriber ends its own subscription', () => {
    const store = createStore(1)
    const seen: string[] = []
    const end = store.subscribe(() => {
      seen.push('a')
      end()
    })
    store.subscribe(() => seen.push('b'))
    store.publish(2)
    store.publish(3)
    expect(seen).toEqual(['a', 'b', 'b'])
  })
})
