import { useMemo } from 'react'
import { nodesIn, nodesText, COMPARE_MAX, COMPARE_MIN, withNodes } from '#parts/compare-address.ts'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { useSearchParams } from '#react/location.ts'
import type { NodeKey } from '#fleet/live.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useFleet } from '#react/use-fleet.ts'
import { compareTexts as words } from '#texts/en-compare.ts'
import { LinkButton } from '#ui/button.tsx'
import { Empty, Skeleton } from '#ui/empty.tsx'
import { PageHead } from '#ui/page.tsx'
import { AddNode } from './add-node.tsx'
import { CompareCharts } from './compare-charts.tsx'
import { NowTable } from './now-table.tsx'
import { useSubjects } from './use-subjects.ts'

export function ComparePage() {
  const [params, setParams] = useSearchParams()
  const text = nodesText(params)
  const all = useMemo(() => nodesIn(text), [text])
  const keys = useMemo(() => all.slice(0, COMPARE_MAX), [all])
  const subjects = useSubjects(keys)
  const [first, ...others] = subjects
  // Until the engine's first update, it is unknown which nodes are watched.
  const isKnown = useFleet((fleet) => fleet.nodes.size > 0)
  const show = (next: readonly NodeKey[]): void => setParams((now) => withNodes(now, next))
  return (
    <div className="page">
      <PageHead
        crumb={{ href: hrefOf(PATHS.nodes), label: words.crumb }}
        title={words.title}
        actions={<AddNode keys={keys} onAdd={(key) => show([...keys, key])} />}
      >
        {keys.length > 0 && keys.length < COMPARE_MIN && <span className="ink-3">{words.onlyOne}</span>}
        {all.length > keys.length && <span className="ink-3">{words.cut(keys.length, all.length)}</span>}
      </PageHead>
      {keys.length === 0 ? (
        <Empty
          title={words.none.title}
          actions={<LinkButton href={hrefOf(PATHS.nodes)}>{words.none.toList}</LinkButton>}
        >
          {words.none.text}
        </Empty>
      ) : isKnown ? (
        <>
          <PartBoundary>
            <NowTable subjects={subjects} onRemove={(key) => show(keys.filter((one) => one !== key))} />
          </PartBoundary>
          <PartBoundary key={text}>
            {first !== undefined && <CompareCharts subjects={[first, ...others]} />}
          </PartBoundary>
        </>
      ) : (
        <Skeleton label={words.loading} lines={6} />
      )}
    </div>
  )
}
