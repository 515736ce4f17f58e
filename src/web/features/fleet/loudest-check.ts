import type { Check } from '#evaluate/condition.ts'
import type { Loudness } from '#react/judgement.tsx'
import type { GlyphKind } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'

const LOUD_FIRST = ['critical', 'warning', 'info', 'unknown'] as const

/** The check that says most about the node; undefined where every one is within limits. */
export const loudestCheck = (checks: readonly Check[]): Check | undefined => {
  for (const state of LOUD_FIRST) {
    const found = checks.find((check) => check.state === state)
    if (found !== undefined) return found
  }
  return undefined
}

export const glyphOf = (loudness: Loudness): GlyphKind => (loudness === 'no-data' ? 'none' : loudness)

/** The mark at the row's edge; none where all is well. */
export const levelOf = (loudness: Loudness): Level | undefined =>
  loudness === 'no-data' ? 'none' : loudness === 'ok' ? undefined : loudness
