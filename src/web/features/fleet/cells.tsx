import { useEvaluation } from '#react/evaluation.tsx'
import { Fragment, memo, type ReactNode } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { isCurrent } from '#fleet/assessment.ts'
import { readingAgeMs, type NodeKey } from '#fleet/live.ts'
import { alarmMarkOf } from '#alarms/alarm-marks.ts'
import { glyphOf } from '#parts/severity.ts'
import { hrefOf, nodePath, tagPath } from '#react/routes.ts'
import { useAlarms } from '#react/use-fleet.ts'
import { useInView } from '#react/use-in-view.ts'
import { useRow, useRowText, type AgingRow, type Row } from '#react/use-row.ts'
import { levelWords } from '#texts/en-checks.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { formatAge } from '#texts/format.ts'
import { idName, serviceLabel } from '#texts/names.ts'
import { CheckBox } from '#ui/check-box.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { Tag } from '#ui/chip.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

type CellProps = { readonly nodeKey: NodeKey }

type SelectCellProps = CellProps & {
  readonly selected: boolean
  readonly onToggle: (isRange: boolean) => void
}

export function SelectCell({ nodeKey, selected, onToggle }: SelectCellProps): ReactNode {
  const shown = useRow(nodeKey, nameOf)
  return (
    <CheckBox
      label={words.select.one(toVisibleText(shown?.name ?? shown?.id ?? ''))}
      hideLabel
      inRow
      checked={selected}
      onChange={(_checked, isRange) => onToggle(isRange)}
    />
  )
}

export const GlyphCell = memo(function GlyphCell({ nodeKey }: CellProps): ReactNode {
  const seen = useInView(nodeKey)
  const severity = useEvaluation(({ classes }) => classes.get(nodeKey))
  const serviceId = useRow(nodeKey, serviceIdOf)
  const mark = useAlarms((view) => serviceId && alarmMarkOf(view, nodeKey, serviceId))
  if (severity === undefined) return null
  const level = levelWords[severity]
  // No alarm mark on a node that is back within limits; its alarm is about to clear.
  if (mark === undefined || severity === 'ok' || severity === 'shelved')
    return <Glyph ref={seen} kind={glyphOf(severity)} label={level} />
  return (
    <Glyph
      ref={seen}
      kind={glyphOf(severity)}
      label={words.alarmMark[mark](level)}
      ring={mark === 'unack' ? 'unack' : 'acked'}
    />
  )
})

const serviceIdOf = ({ node: { serviceId } }: Row) => serviceId

/** The name without tags, because a card has no space for them. */
export const CardNameCell = memo(function CardNameCell({ nodeKey }: CellProps): ReactNode {
  const shown = useRow(nodeKey, nameOf)
  return (
    shown && (
      <>
        <NameLink nodeKey={nodeKey} {...shown} />{' '}
      </>
    )
  )
})

export const AgeOfOldCell = memo(function AgeOfOldCell({ nodeKey }: CellProps): ReactNode {
  const text = useRowText(nodeKey, ageOfOld)
  return useRow(nodeKey, hasOld) === true && <b ref={text} className="cells-as-of" />
})

/** A real link, so that it can be opened in a new tab. Not a tab stop, because the row leads there too. */
function NameLink({
  nodeKey,
  name,
  id,
}: CellProps & { readonly name: string | undefined; readonly id: string }) {
  return (
    <a
      href={hrefOf(nodePath(nodeKey))}
      tabIndex={-1}
      className="ink-1 truncate"
      title={name === undefined ? id : toVisibleText(name)}
    >
      {name === undefined ? id : <VisibleText text={name} />}
    </a>
  )
}

export const NameCell = memo(function NameCell({ nodeKey }: CellProps): ReactNode {
  const shown = useRow(nodeKey, nameOf)
  if (shown === undefined) return null
  const { name, id, hasId, tags } = shown
  return (
    <span className="cells-name">
      <span className="cells-lead">
        <NameLink nodeKey={nodeKey} name={name} id={id} /> <AgeOfOldCell nodeKey={nodeKey} />
      </span>
      {name !== undefined && hasId && <span className="mono text-11 ink-3">{id}</span>}
      {tagsIn(tags).map((tag) => (
        <Fragment key={tag}>
          {' '}
          <Tag tag={tag} href={hrefOf(tagPath(tag))} inRow />
        </Fragment>
      ))}
    </span>
  )
})

const hasOld = ({ node: { reading }, stage }: Row): boolean => reading !== undefined && !isCurrent(stage.link)

/** Age of outdated values, as text, because the dimming alone must not carry the information. */
const ageOfOld = ({ node: { reading }, agesMs }: AgingRow): string | undefined =>
  reading && `${words.asOf(formatAge(readingAgeMs(reading, agesMs)))} `

const tagsIn = (tags: string): readonly string[] => (tags === '' ? [] : tags.split(' '))

const nameOf = ({ node: { name, nodeId, tags } }: Row) => ({
  name,
  // Joined, because change detection compares flat values; tags contain no spaces.
  tags: tags.join(' '),
  id: idName(nodeId),
  hasId: nodeId !== undefined,
})

export const ServiceCell = memo(function ServiceCell({ nodeKey }: CellProps): ReactNode {
  const name = useRow(nodeKey, serviceOf)
  return name === undefined ? null : <VisibleText text={name} />
})

const serviceOf = ({ service: { service } }: Row): string => serviceLabel(service)
