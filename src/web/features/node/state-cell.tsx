import type { Field } from '#record/field.ts'
import type { MetricOf } from '#metrics/metric.ts'
import { fieldOf } from '#metrics/answer.ts'
import { lookAlikes } from '#base/visible-text.ts'
import { checkOf, isCurrent, type Check, type Stage } from '#fleet/assessment.ts'
import type { AssessedNode, NodeLive, Reading, ValueSince } from '#fleet/live.ts'
import { glyphOf } from '#parts/severity.ts'
import { Ticking, useWall } from '#react/ticking.tsx'
import { nameOf } from '#texts/format-metric.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { formatAge, formatLatency } from '#texts/format.ts'
import type { GlyphKind } from '#ui/glyph.tsx'
import { HeroCell, StateWord } from '#ui/hero.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { Moment } from '#parts/moment.tsx'

const words = nodeTexts.hero

/** Longer words do not fit at full size. */
const FULL_SIZE_CHARS = 10

type StateCellProps = {
  readonly metric: MetricOf<'state'>
  readonly node: AssessedNode
  readonly stage: Stage
}

export function StateCell({ metric, node, stage }: StateCellProps) {
  const { reading } = node
  if (reading === undefined) return <NeverCell metric={metric} node={node} />
  const old = !isCurrent(stage.link)
  const kind = old ? 'none' : glyphOf(checkOf(stage.checks, metric.id)?.state)
  const said = checkOf(node.assessment.atReading, metric.id)
  const name = nameOf(metric)
  const word = fieldOf(metric, reading)
  const since = node.since[metric.id]
  return (
    <HeroCell label={old ? words.stateOld(name) : words.state(name)}>
      <Word word={word} old={old} kind={kind} said={said} />
      {old ? (
        <OldNotes reading={reading} />
      ) : (
        <>
          {since !== undefined && <Since {...since} />}
          <LastAnswer reading={reading} late={stage.link === 'late'} />
        </>
      )}
      <WordNotes word={word} said={said} />
    </HeroCell>
  )
}

function NeverCell({ metric, node }: { readonly metric: MetricOf<'state'>; readonly node: NodeLive }) {
  return (
    <HeroCell label={nameOf(metric)}>
      <StateWord kind="none" size="long" old>
        {node.episode !== undefined ? words.noAnswer : node.inFlight ? words.beingAsked : words.notAsked}
      </StateWord>
      <div className="figure-note">{words.notKnownNow}</div>
    </HeroCell>
  )
}

type WordProps = {
  readonly word: Field<string>
  /** The check of the word at its answer, valid even if the word is outdated. */
  readonly said: Check | undefined
}

function Word({ word, old, kind, said }: WordProps & { readonly old: boolean; readonly kind: GlyphKind }) {
  if (!word.ok)
    return (
      <StateWord kind={kind} size="long" old={old}>
        {words.unusable}
      </StateWord>
    )
  return (
    <StateWord
      kind={kind}
      size={Array.from(word.value).length > FULL_SIZE_CHARS || said?.state !== 'ok' ? 'long' : 'full'}
      old={old}
    >
      <VisibleText text={word.value} />
    </StateWord>
  )
}

/** An unknown word may contain look-alike characters; the note names them. */
function WordNotes({ word, said }: WordProps) {
  if (!word.ok || said?.reason !== 'unknown-word') return null
  const foreign = lookAlikes(word.value)
  return (
    <>
      <div className="figure-note">{words.newWord}</div>
      {foreign.length > 0 && <div className="figure-note">{words.lookAlikes(foreign.join(', '))}</div>}
    </>
  )
}

function Since({ sinceWallMs, unseenMs }: ValueSince) {
  const age = useWall((nowMs) => formatAge(nowMs - sinceWallMs))
  return (
    <div className="figure-note">
      {words.forPrefix}
      <b>{age ?? formatAge(0)}</b>
      {words.since}
      <Moment wallMs={sinceWallMs} />
      {unseenMs > 0 ? words.unseen(formatAge(unseenMs)) : words.seenFromHere}
    </div>
  )
}

const LastAnswer = ({ reading, late }: { readonly reading: Reading; readonly late: boolean }) => (
  <div className="figure-note">
    {words.lastAnswer}
    <b>
      <Ticking>{(nowMs) => formatAge(nowMs - reading.startedMs)}</Ticking>
    </b>
    {words.ago}
    {words.took}
    <b>{formatLatency(reading.latencyMs)}</b>
    {late && ` ${words.late}`}
  </div>
)

const OldNotes = ({ reading }: { readonly reading: Reading }) => (
  <>
    <div className="figure-note">
      {words.asOf}
      <b>
        <Moment wallMs={reading.startedWallMs} />
      </b>
      , <Ticking>{(nowMs) => formatAge(nowMs - reading.startedMs)}</Ticking>
      {words.ago}
    </div>
    <div className="figure-note">{words.notKnownNow}</div>
  </>
)
