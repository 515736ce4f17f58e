import { useCallback, useMemo, useState } from 'react'
import { failureOf } from '#fleet/cause.ts'
import { worstCheck, stageAt } from '#fleet/assessment.ts'
import type { NodeKey } from '#fleet/live.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { createPlaces } from '#parts/fleet-figures.ts'
import { glyphOf, levelOf } from '#parts/severity.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useLocation } from '#react/location.ts'
import { hrefOf, nodePath, PATHS } from '#react/routes.ts'
import { useSteps } from '#react/ticking.tsx'
import { useFleet } from '#react/use-fleet.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { fleetOverviewTexts } from '#texts/en-fleet-overview.ts'
import { formatCount } from '#texts/format.ts'
import { nodeName } from '#texts/names.ts'
import { classNames } from '#ui/class-names.ts'
import { Glyph } from '#ui/glyph.tsx'
import { NodeMap, type MapGroup } from '#ui/node-map.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { NetworkFigures } from './network-figures.tsx'
import { FILTERS } from './order.ts'
import { useWidth } from './use-width.ts'

const words = fleetOverviewTexts.overview

export function FleetOverview({ isStrip = false }: { readonly isStrip?: boolean }) {
  return (
    <>
      <PlainPanel label={words.label} flush>
        <div className={classNames('fleet-overview', isStrip && 'strip')}>
          <Counts />
          <Map height={isStrip ? STRIP_PX : MAP_PX} />
        </div>
      </PlainPanel>
      <NetworkFigures />
    </>
  )
}

const COUNTED = FILTERS.filter((filter) => filter !== 'all' && filter !== 'ok')

function Counts() {
  const counts = useEvaluation((evaluation) => evaluation.counts)
  return (
    <div>
      <span className="ink-3">{words.within}</span>
      <div className="fleet-overview-all ink-1 medium">
        {formatCount(counts.ok)} <small className="ink-3">{words.of(counts.all)}</small>
      </div>
      <div className="fleet-overview-counts">
        {COUNTED.map((severity) => (
          <a key={severity} className="row" href={hrefOf(`${PATHS.nodes}?condition=${severity}`)}>
            <Glyph kind={glyphOf(severity)} />
            <span>{levelWords[severity]}</span>
            <b>{formatCount(counts[severity])}</b>
          </a>
        ))}
      </div>
    </div>
  )
}

const tagTitle = (tag: string | undefined): string =>
  tag === undefined ? words.untagged : toVisibleText(tag)

const MAP_PX = 158
/** Height of the map with one row of cells below the titles. */
const STRIP_PX = 38

/** A node's position is independent of its state: by first tag, then by name. */
function Map({ height }: { readonly height: number }) {
  const { fleet, metrics, nowMs } = useDashboard()
  const nodes = useFleet((snapshot) => snapshot.nodes)
  const severities = useEvaluation((evaluation) => evaluation.classes)
  const [, navigate] = useLocation()
  const [placesOf] = useState(createPlaces)
  const [measure, { rem }] = useWidth()
  const places = placesOf(nodes)
  const keys = useMemo(() => places.flat(), [places])
  const groups = useMemo(() => {
    const tagOf = (key: NodeKey | undefined): string | undefined =>
      key === undefined ? undefined : fleet.get().nodes.get(key)?.tags[0]
    const tags = places.length === 1 ? new Set(places[0]?.map(tagOf)).size : undefined
    return places.map((group, place): MapGroup => ({
      id: String(place),
      title: tags === undefined ? tagTitle(tagOf(group[0])) : words.everyNode(tags),
      count: formatCount(group.length),
      cells: group.map((key) => levelOf(severities.get(key) ?? 'no-data')),
    }))
  }, [places, severities, fleet])
  const nameOf = useCallback(
    (place: number): string => {
      const key = keys[place]
      const { nodes: all, causes } = fleet.get()
      const node = key === undefined ? undefined : all.get(key)
      if (key === undefined || node === undefined) return ''
      const check = worstCheck(stageAt(node.assessment, nowMs()))
      const what = check && checkText(check, metrics, failureOf(node, causes))
      return words.cell(toVisibleText(nodeName(node)), levelWords[severities.get(key) ?? 'no-data'], what)
    },
    [keys, fleet, metrics, nowMs, severities],
  )
  const open = (place: number): void => {
    const key: NodeKey | undefined = keys[place]
    if (key !== undefined) navigate(nodePath(key))
  }
  useSteps(MOVED_EVERY_MS)
  return (
    <div ref={measure}>
      <NodeMap
        groups={groups}
        width={Math.max(160, (rem - PADDING_REM) * 16)}
        height={height}
        label={words.map(keys.length)}
        nameOf={nameOf}
        onOpen={open}
        hint={words.hint}
      />
    </div>
  )
}

/** How often the text of the current cell is refreshed, so that its age stays correct. */
const MOVED_EVERY_MS = 5_000
const PADDING_REM = 2
