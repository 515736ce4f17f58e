/**
 * Items by due time, soonest first; items due at the same time come in any order. Each item is in the queue at most once, so
 * the queue never outgrows the fleet. A binary heap that tracks the index of each item, so that moving and removing also take
 * logarithmic time.
 */
export function createDueQueue<T>() {
  const heap: { item: T; dueMs: number }[] = []
  const places = new Map<T, number>()

  const dueAt = (place: number): number => heap[place]?.dueMs ?? Number.POSITIVE_INFINITY

  const swap = (a: number, b: number): void => {
    const first = heap[a]
    const second = heap[b]
    if (first === undefined || second === undefined) return
    heap[a] = second
    heap[b] = first
    places.set(second.item, a)
    places.set(first.item, b)
  }

  const rise = (from: number): void => {
    for (let place = from; place > 0;) {
      const parent = (place - 1) >> 1
      if (dueAt(parent) <= dueAt(place)) return
      swap(parent, place)
      place = parent
    }
  }

  const sink = (from: number): void => {
    for (let place = from; ;) {
      const left = 2 * place + 1
      const child = dueAt(left + 1) < dueAt(left) ? left + 1 : left
      if (dueAt(place) <= dueAt(child)) return
      swap(place, child)
      place = child
    }
  }

  const remove = (item: T): void => {
    const place = places.get(item)
    if (place === undefined) return
    swap(place, heap.length - 1)
    heap.pop()
    places.delete(item)
    rise(place)
    sink(place)
  }

  return {
    /** Adds the item or moves it. */
    set: (item: T, dueMs: number): void => {
      remove(item)
      heap.push({ item, dueMs })
      places.set(item, heap.length - 1)
      rise(heap.length - 1)
    },
    delete: remove,
    soonest: (): Readonly<(typeof heap)[number]> | undefined => heap[0],
  }
}
