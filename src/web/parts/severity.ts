import type { Check, NodeClass } from '#fleet/assessment.ts'
import type { GlyphKind } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'

/** Where counts of nodes stand beside each other, in this order; those within limits are the rest. */
export const COUNTED = ['critical', 'warning', 'info', 'no-data', 'shelved'] as const

/** How a node's severity, or a check's state, is marked; undefined where all is well. */
export function levelOf(severity: NodeClass | Check['state'] | undefined): Level | undefined {
  if (severity === undefined || severity === 'ok' || severity === 'shelved' || severity === 'not-checked')
    return undefined
  return severity === 'no-data' || severity === 'unknown' ? 'none' : severity
}

/** The same by its shape. */
export const glyphOf = (severity: NodeClass | Check['state'] | undefined): GlyphKind =>
  severity === 'shelved' ? 'paused' : (levelOf(severity) ?? 'ok')

/** A value is marked only where it holds and is outside of what it should be; an old one's alarm is no mark of its own. */
export function valueLevel(check: Check | undefined, isOld: boolean): Level | undefined {
  const level = isOld ? undefined : levelOf(check?.state)
  return level === 'none' ? undefined : level
}
