import type { Check, NodeClass } from '#fleet/assessment.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { GlyphKind } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'

/** Order of the node counts; nodes within limits are the rest. */
export const COUNTED = ['critical', 'warning', 'info', 'no-data', 'shelved'] as const

/** Level of a node's severity or a check's state; undefined if all is well. */
export function levelOf(severity: NodeClass | Check['state'] | undefined): Level | undefined {
  if (severity === undefined || severity === 'ok' || severity === 'shelved' || severity === 'not-checked')
    return undefined
  return severity === 'no-data' || severity === 'unknown' ? 'none' : severity
}

export const glyphOf = (severity: NodeClass | Check['state'] | undefined): GlyphKind =>
  severity === 'shelved' ? 'paused' : (levelOf(severity) ?? 'ok')

export const VERDICT_GLYPHS: Readonly<Record<ProofVerdict['kind'], GlyphKind>> = {
  verified: 'done',
  wrong: 'critical',
  'not-checked': 'none',
}

/** Marks only a current value outside its limits, never an outdated one. */
export function valueLevel(check: Check | undefined, isOld: boolean): Level | undefined {
  const level = isOld ? undefined : levelOf(check?.state)
  return level === 'none' ? undefined : level
}
