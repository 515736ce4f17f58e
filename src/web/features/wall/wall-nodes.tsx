import { useCallback, useMemo, useState, type CSSProperties } from 'react'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'
import type { Metric } from '#metrics/metric.ts'
import { checkOf, isCurrent, stageAt, type NodeClass, type ShownValue } from '#fleet/assessment.ts'
import { readingAgeMs, valueNow, type AssessedNode, type NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { cellsOf, createPlaces } from '#parts/fleet-figures.ts'
import { glyphOf, levelOf, valueLevel } from '#parts/severity.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useNow } from '#react/use-fleet.ts'
import { levelWords } from '#texts/en-checks.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { formatValue, nameOf, valueParts } from '#texts/format-metric.ts'
import { formatAge } from '#texts/format.ts'
import { nodeNameIn } from '#texts/names.ts'
import { classNames } from '#ui/class-names.ts'
import { Glyph } from '#ui/glyph.tsx'
import { Mosaic } from '#ui/mosaic.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { nodesLayout, type NodesLayout } from './nodes-layout.ts'

type WallNodesProps = {
  readonly fleet: FleetSnapshot
  readonly severities: ReadonlyMap<NodeKey, NodeClass>
  /** All is well, so this is the only content. */
  readonly isQuiet: boolean
}

/**
 * Shows every node with its figures or its name if that is readable at 5 m; otherwise only the nodes that need
 * attention. If these do not fit either, shows every node as a cell.
 */
export function WallNodes({ fleet, severities, isQuiet }: WallNodesProps) {
  const { nodes } = fleet
  const [placesOf] = useState(createPlaces)
  const places = placesOf(nodes)
  const [measure, box] = useBox()
  const { unitPx } = box
  const layoutOf = (keys: readonly NodeKey[]): NodesLayout => {
    const letters = keys.slice(0, NAMED_MAX).map((key) => nodeNameIn(fleet, key).length)
    const size = { width: box.width / unitPx, height: box.height / unitPx }
    return nodesLayout(keys.length, Math.max(0, ...letters), size)
  }
  const groups = useMemo(() => cellsOf(places, severities), [places, severities])
  const all = places.flat()
  const failing = all.filter((key) => levelOf(severities.get(key) ?? 'no-data') !== undefined)
  const ofAll = layoutOf(all)
  const isNarrowed = ofAll.kind === 'map' && failing.length > 0
  const layout = isNarrowed ? layoutOf(failing) : ofAll
  const label = words.mosaic(nodes.size, failing.length)
  return (
    <section
      className={classNames('wall-nodes', isQuiet && 'quiet', layout.kind === 'cards' && 'carded')}
      ref={measure}
    >
      {layout.kind === 'map' ? (
        <Mosaic
          groups={groups}
          width={box.width}
          height={box.height}
          cellMax={CELL_MAX * unitPx}
          markMin={MARK_MIN * unitPx}
          isCentered={isQuiet}
          label={label}
        />
      ) : (
        <ul aria-label={label} style={gridOf(layout)}>
          {(isNarrowed ? failing : all).map((key) => (
            <WallCell
              key={key}
              name={nodeNameIn(fleet, key)}
              node={nodes.get(key)}
              severity={severities.get(key) ?? 'no-data'}
              fleet={fleet}
              lines={layout.kind === 'cards' ? layout.lines : 0}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

/** More nodes are never shown by name, so their names are not measured. */
const NAMED_MAX = 200
/** In the wall's unit. */
const CELL_MAX = 6
/** A smaller mark is not visible across the room. */
const MARK_MIN = 1.2

const gridOf = ({ columns, text }: Exclude<NodesLayout, { kind: 'map' }>): CSSProperties => ({
  gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
  fontSize: `calc(${text.toFixed(2)} * var(--u))`,
})

type WallCellProps = {
  readonly name: string
  readonly node: AssessedNode | undefined
  readonly severity: NodeClass
  readonly fleet: FleetSnapshot
  readonly lines: number
}

function WallCell({ name, node, severity, fleet, lines }: WallCellProps) {
  return (
    <li>
      <b className={classNames('row', levelOf(severity))}>
        <Glyph kind={glyphOf(severity)} label={severity === 'ok' ? '' : levelWords[severity]} />
        <span>
          <VisibleText text={name} />
        </span>
        {node !== undefined && lines > 0 && <Since node={node} />}
      </b>
      {node !== undefined && lines > 0 && <Figures node={node} fleet={fleet} lines={lines} />}
    </li>
  )
}

function Since({ node: { assessment, reading } }: { readonly node: AssessedNode }) {
  const nowMs = useNow()
  if (reading === undefined || isCurrent(stageAt(assessment, nowMs).link)) return null
  return <small>{words.asOf(formatAge(readingAgeMs(reading, nowMs)))}</small>
}

type FiguresProps = {
  readonly node: AssessedNode
  readonly fleet: FleetSnapshot
  readonly lines: number
}

function Figures({ node, fleet, lines }: FiguresProps) {
  const { metrics } = useDashboard()
  const nowMs = useNow()
  const stage = stageAt(node.assessment, nowMs)
  const isOld = !isCurrent(stage.link)
  const service = fleet.services.get(node.serviceId)
  const settings = service && effectiveSettings(service.rules, node)
  const shown = useMemo(() => shownOf(metrics).slice(0, lines), [metrics, lines])
  return (
    <dl>
      {shown.map((metric) => (
        <div key={metric.id}>
          <dt>{nameOf(metric)}</dt>
          <dd className={classNames(isOld && 'old', valueLevel(checkOf(stage.checks, metric.id), isOld))}>
            <CardValue metric={metric} value={valueNow(node, metric, nowMs)} settings={settings} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

type CardValueProps = {
  readonly metric: Metric
  readonly value: ShownValue | undefined
  readonly settings: EffectiveSettings | undefined
}

function CardValue({ metric, value, settings }: CardValueProps) {
  if (value === undefined) return words.none
  if (metric.kind === 'state') return <VisibleText text={value.text} charsMax={WORD_CHARS} />
  if (metric.unit !== 'amount' || settings === undefined) return formatValue(metric, value)
  // No exact amounts, because a cut amount could be misread.
  return valueParts(metric, value, settings, true)
    .map(({ text }) => text)
    .join('')
}

/** A longer word is cut and marked as such. */
const WORD_CHARS = 16

/** Metrics with a large figure first. Counters are left out, because their value needs its history. */
function shownOf(metrics: readonly Metric[]): readonly Metric[] {
  const others = metrics.filter(
    ({ kind, wall, lead }) => wall !== undefined && lead !== true && kind === 'gauge',
  )
  return [
    ...metrics.filter(({ lead }) => lead === true),
    ...others.toSorted((one, other) => (one.wall?.order ?? 0) - (other.wall?.order ?? 0)),
  ]
}

/** A common screen in CSS pixels, assumed until measured. */
const USUAL_BOX = { width: 1_825, height: 302, unitPx: 10.8 } as const
/** Text size in the wall's unit. */
const TEXT_UNITS = 3.7

/** Size of an element, the wall's unit, and the ref to attach. The element's size must not depend on its content. */
function useBox() {
  const [box, setBox] = useState<{
    readonly width: number
    readonly height: number
    readonly unitPx: number
  }>(USUAL_BOX)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element
      const unitPx = Number.parseFloat(getComputedStyle(element).fontSize) / TEXT_UNITS
      if (width > 0 && height > 0 && unitPx > 0)
        setBox((last) =>
          last.width === width && last.height === height && last.unitPx === unitPx
            ? last
            : { width, height, unitPx },
        )
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [measure, box] as const
}
