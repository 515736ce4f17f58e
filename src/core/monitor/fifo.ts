/** First in, first out; an item may also leave from the middle. */
export type Fifo<T> = {
  readonly push: (item: T) => void
  readonly peek: () => T | undefined
  readonly remove: (item: T) => void
}

/** Entries that have left are skipped at the front and cleared away once they are most of the list. */
const SLACK = 64

export function createFifo<T>(): Fifo<T> {
  let entries: T[] = []
  let front = 0
  const present = new Map<T, number>()
  let offset = 0 // how many entries were cleared away, so that places stay true

  return {
    push: (item) => {
      present.set(item, offset + entries.length)
      entries.push(item)
    },
    peek: () => {
      for (; front < entries.length; front++) {
        const item = entries[front]
        if (item !== undefined && present.get(item) === offset + front) return item
      }
      return undefined
    },
    remove: (item) => {
      present.delete(item)
      if (entries.length < SLACK || present.size * 2 > entries.length) return
      const kept = entries.filter((entry, place) => present.get(entry) === offset + place)
      offset += entries.length
      entries = kept
      front = 0
      kept.forEach((entry, place) => present.set(entry, offset + place))
    },
  }
}
