import { useState } from 'react'
import { useNow } from '#react/use-fleet.ts'
import type { WallOptions, WallView } from './wall-options.ts'

export type Turn = {
  readonly view: WallView
  readonly step: ((by: 1 | -1) => void) | undefined
}

/** Rotates through the views by time; a person may step forward or back. */
export function useTurn({ views, everyS }: Pick<WallOptions, 'views' | 'everyS'>): Turn {
  const nowMs = useNow()
  const [moved, setMoved] = useState(0)
  const place = (Math.floor(nowMs / (everyS * 1_000)) + moved) % views.length
  const view = views[(place + views.length) % views.length] ?? views[0]
  return { view, step: views.length === 1 ? undefined : (by) => setMoved((before) => before + by) }
}
