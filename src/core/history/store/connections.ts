import { err, ok, type Result } from '#base/result.ts'
import type { Database, StorageFailure } from '#history/storage.ts'
import { segmentName, type SegmentId } from '#history/tiers.ts'

/** Connections that stay open; others are closed when these are used. */
const OPEN_MAX = 8

type Connections<T> = {
  /** The one that is open, or a new one: the same for all who ask meanwhile. `closed`: it was closed before it was open. */
  readonly get: (id: SegmentId) => Promise<Result<T, StorageFailure>>
  /** This one is of no more use. */
  readonly drop: (id: SegmentId, connection: T) => void
  /** Whatever is open, or being opened, for a segment. */
  readonly close: (id: SegmentId) => void
  readonly closeAll: () => void
}

/** One connection to each of the segments that were used last. `onOpened`: before anybody uses it. */
export function createConnections<T extends { readonly database: Database }>(
  open: (id: SegmentId) => Promise<Result<T, StorageFailure>>,
  onOpened: (id: SegmentId, connection: T) => void,
): Connections<T> {
  const held = new Map<string, T>()
  /** Two that read the same would each give numbers of their own to nodes. */
  const opening = new Map<string, Promise<Result<T, StorageFailure>>>()

  const close = (name: string): void => {
    opening.delete(name)
    held.get(name)?.database.close()
    held.delete(name)
  }

  const opened = async (id: SegmentId, isWanted: () => boolean): Promise<Result<T, StorageFailure>> => {
    const name = segmentName(id)
    const found = await open(id)
    const stays = isWanted()
    if (stays) opening.delete(name)
    if (!found.ok) return found
    if (!stays) {
      // What it read may be of before it was closed.
      found.value.database.close()
      return err('closed')
    }
    onOpened(id, found.value)
    held.set(name, found.value)
    if (held.size > OPEN_MAX) Array.from(held.keys()).slice(0, 1).forEach(close)
    return found
  }

  return {
    get: async (id) => {
      const name = segmentName(id)
      const known = held.get(name)
      if (known !== undefined) {
        held.delete(name)
        held.set(name, known)
        return ok(known)
      }
      const underWay = opening.get(name)
      if (underWay !== undefined) return underWay
      const mine: Promise<Result<T, StorageFailure>> = opened(id, () => opening.get(name) === mine)
      opening.set(name, mine)
      return mine
    },
    drop: (id, connection) => {
      connection.database.close()
      if (held.get(segmentName(id)) === connection) held.delete(segmentName(id))
    },
    close: (id) => close(segmentName(id)),
    closeAll: () => [...held.keys(), ...opening.keys()].forEach(close),
  }
}
