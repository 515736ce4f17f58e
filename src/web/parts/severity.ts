import type { Check, NodeSeverity } from '#fleet/assessment.ts'
import type { GlyphKind } from '#ui/glyph.tsx'
import type { Level } from '#ui/level.ts'

/** How a node's severity, or a check's state, is marked; undefined where all is well. */
export function levelOf(severity: NodeSeverity | Check['state'] | undefined): Level | undefined {
  if (severity === undefined || severity === 'ok' || severity === 'not-checked') return undefined
  return severity === 'no-data' || severity === 'unknown' ? 'none' : severity
}

/** The same by its shape. */
export const glyphOf = (severity: NodeSeverity | Check['state'] | undefined): GlyphKind =>
  levelOf(severity) ?? 'ok'

/** A value is marked only where it holds and is outside of what it should be; an old one's alarm is no mark of its own. */
export function valueLevel(check: Check | undefined, isOld: boolean): Level | undefined {
  const level = isOld ? undefined : levelOf(check?.state)
  return level === 'none' ? undefined : level
}
