import { useCallback, useMemo, useState } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetRow } from './order.ts'

export type Selection = ReturnType<typeof useSelection>

/** Selected rows. Filtered-out nodes do not count, so that no action affects a hidden node. */
export function useSelection(rows: readonly FleetRow[]) {
  const [chosen, setChosen] = useState<ReadonlySet<NodeKey>>(new Set())
  const [last, setLast] = useState<NodeKey>()
  const keys = useMemo(
    () => rows.flatMap((row) => (row.kind === 'node' ? [row.key] : row.kind === 'more' ? row.keys : [])),
    [rows],
  )
  /** A range covers only visible rows, not collapsed ones. */
  const listed = useMemo(() => rows.flatMap((row) => (row.kind === 'node' ? [row.key] : [])), [rows])
  const selected = useMemo(
    () => (chosen.size === 0 ? chosen : new Set(keys.filter((key) => chosen.has(key)))),
    [keys, chosen],
  )
  /** `isRange` extends the selection from the last node to this one. */
  const toggle = useCallback(
    (key: NodeKey, isRange = false) => {
      const from = isRange && last !== undefined ? listed.indexOf(last) : -1
      const to = listed.indexOf(key)
      const range = from === -1 ? [key] : listed.slice(Math.min(from, to), Math.max(from, to) + 1)
      setLast(key)
      setChosen((now) => {
        const next = new Set(now)
        const isOn = from !== -1 || !now.has(key)
        for (const each of range) {
          if (isOn) next.add(each)
          else next.delete(each)
        }
        return next
      })
    },
    [listed, last],
  )
  const isAll = keys.length > 0 && selected.size === keys.length
  return {
    selected,
    /** Undefined: some of the shown nodes are selected. */
    all: isAll ? true : selected.size === 0 ? false : undefined,
    toggle,
    toggleAll: () => setChosen(new Set(isAll ? [] : keys)),
    clear: () => setChosen(new Set()),
  }
}
