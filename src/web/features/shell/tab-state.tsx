import { useEffect, useRef } from 'react'
import type { ClassCounts } from '#fleet/assessment.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { subscribeToAll } from '#react/ticking.tsx'
import { useFleet } from '#react/use-fleet.ts'
import { PATHS } from '#react/routes.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { shellTexts as words } from '#texts/en-shell.ts'
import { nodeName } from '#texts/names.ts'
import criticalIcon from './favicon-critical.svg'
import noDataIcon from './favicon-no-data.svg'
import warningIcon from './favicon-warning.svg'

const QUIET_ICON = './favicon.svg'

/** Minimum time between title changes on a page, because screen readers announce each one. */
const CHANGE_EVERY_MS = 5_000

type TabStateProps = { readonly node: NodeKey | undefined; readonly path: string }

/** The tab's title and icon, which show the state while the operator works in another tab. */
export function TabState({ node, path }: TabStateProps) {
  const { seconds, fleet, nowMs } = useDashboard()
  const page = usePageName(node, path)
  const { count, icon } = tabOf(useEvaluation((now) => now.counts))
  const title = words.title(page, count === 0 ? undefined : words.titleCount(count))
  const shown = useRef({ page: '', atMs: Number.NEGATIVE_INFINITY })

  useEffect(() => {
    const apply = (): void => {
      if (document.title === title && iconLink()?.getAttribute('href') === icon) return
      const mayChange = shown.current.page !== page || nowMs() - shown.current.atMs >= CHANGE_EVERY_MS
      if (!mayChange) return
      document.title = title
      iconLink()?.setAttribute('href', icon)
      shown.current = { page, atMs: nowMs() }
    }
    apply()
    // A hidden page has no ticks, but it still receives updates.
    return subscribeToAll(seconds, fleet)(apply)
  }, [title, icon, page, seconds, fleet, nowMs])
  return null
}

const iconLink = (): Element | null => document.head.querySelector('link[rel="icon"]')

function usePageName(key: NodeKey | undefined, path: string): string {
  const live = useFleet((fleet) => (key === undefined ? undefined : fleet.nodes.get(key)))
  const [, name] = PAGE_NAMES.find(([begin]) => path.toLowerCase().startsWith(begin)) ?? []
  if (name !== undefined) return name
  if (key === undefined || live === undefined) return words.nodes
  return toVisibleText(nodeName(live))
}

/** Titles by path prefix, longer prefixes first. */
const PAGE_NAMES = [
  [PATHS.rules, words.rules],
  [PATHS.alarms, words.alarms],
  [PATHS.journal, words.journal],
  [PATHS.wall, words.wall],
  [PATHS.settings, words.settings],
  [PATHS.about, words.about],
  [PATHS.compare, words.compare],
  [PATHS.report, words.report],
] as const

type TabLook = { readonly count: number; readonly icon: string }

function tabOf(counts: ClassCounts): TabLook {
  const count = counts.critical + counts.warning + counts['no-data']
  if (counts.critical > 0) return { count, icon: criticalIcon }
  if (counts.warning > 0) return { count, icon: warningIcon }
  return { count, icon: counts['no-data'] > 0 ? noDataIcon : QUIET_ICON }
}
