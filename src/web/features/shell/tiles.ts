import type { NodeKey } from '#fleet/live.ts'
import type { NodeSeverity } from '#fleet/assessment.ts'
import { hrefOf, NODES_PATH } from '#react/routes.ts'
import { shellTexts } from '#texts/en-shell.ts'
import type { AnnunciatorTile } from '#ui/app-shell.tsx'

const SHOWN = ['critical', 'warning', 'info', 'no-data'] as const

/** How many nodes are in each condition, always in the same four places; each leads to those nodes. */
export function tilesOf(severities: ReadonlyMap<NodeKey, NodeSeverity>): readonly AnnunciatorTile[] {
  const counts = new Map<NodeSeverity, number>()
  for (const severity of severities.values()) counts.set(severity, (counts.get(severity) ?? 0) + 1)
  return SHOWN.map((shown) => ({
    kind: shown === 'no-data' ? 'none' : shown,
    count: counts.get(shown) ?? 0,
    label: shellTexts.tile[shown],
    href: hrefOf(`${NODES_PATH}?condition=${shown}`),
    hot: shown === 'critical' || (shown === 'warning' && !counts.has('critical')),
  }))
}
