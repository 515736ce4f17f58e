import { lookAlikes } from '#base/visible-text.ts'
import { isCurrent, type Link } from '#fleet/link.ts'
import type { NodeLive, Reading } from '#fleet/live.ts'
import type { EffectiveSettings } from '#settings/effective-settings.ts'
import type { StatusMeaning } from '#settings/rules.ts'
import { Ticking, useWallNow } from '#react/ticking.tsx'
import { nodeTexts } from '#texts/en-node.ts'
import { formatAge, formatLatency } from '#texts/format.ts'
import { HeroCell, HeroNote, StateWord } from '#ui/hero.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { Moment } from './moment.tsx'

const words = nodeTexts.hero

/** Longer words than this do not fit at full size. */
const FULL_SIZE_CHARS = 10

type StatusCellProps = {
  readonly node: NodeLive
  readonly link: Link
  readonly settings: EffectiveSettings
}

/** A word of which nobody has said what it means is info. */
const KINDS = { good: 'ok', warning: 'warning', bad: 'critical' } as const

/** What the service said about the node, or said last. */
export function StatusCell({ node, link, settings }: StatusCellProps) {
  const { reading } = node
  if (reading === undefined) return <NeverCell node={node} />
  const old = !isCurrent(link)
  return (
    <HeroCell label={old ? words.statusOld : words.status}>
      <Word reading={reading} old={old} means={meaningOf(reading, settings)} />
      {old ? (
        <OldNotes reading={reading} />
      ) : (
        <>
          {node.statusSinceWallMs !== undefined && <Since sinceWallMs={node.statusSinceWallMs} />}
          <LastAnswer reading={reading} late={link === 'late'} />
        </>
      )}
      <WordNotes reading={reading} means={meaningOf(reading, settings)} />
    </HeroCell>
  )
}

const meaningOf = ({ record: { status } }: Reading, settings: EffectiveSettings): StatusMeaning | undefined =>
  status.ok ? settings.statusWords.get(status.value)?.value : undefined

function NeverCell({ node }: { readonly node: NodeLive }) {
  return (
    <HeroCell label={words.statusNever}>
      <StateWord kind="none" size="long" old>
        {node.episode !== undefined ? words.noAnswer : node.inFlight ? words.beingAsked : words.notAsked}
      </StateWord>
      <HeroNote>{words.notKnownNow}</HeroNote>
    </HeroCell>
  )
}

type WordProps = { readonly reading: Reading; readonly means: StatusMeaning | undefined }

function Word({ reading, old, means }: WordProps & { readonly old: boolean }) {
  const { status } = reading.record
  if (!status.ok)
    return (
      <StateWord kind={old ? 'none' : 'warning'} size="long" old={old}>
        {words.unusable}
      </StateWord>
    )
  return (
    <StateWord
      kind={old ? 'none' : means === undefined ? 'info' : KINDS[means]}
      size={Array.from(status.value).length > FULL_SIZE_CHARS || means !== 'good' ? 'long' : 'full'}
      old={old}
    >
      <VisibleText text={status.value} />
    </StateWord>
  )
}

/** An unknown word may be a known one in disguise: its foreign characters are named. */
function WordNotes({ reading, means }: WordProps) {
  const { status } = reading.record
  if (!status.ok || means !== undefined) return null
  const foreign = lookAlikes(status.value)
  return (
    <>
      <HeroNote>{words.newWord}</HeroNote>
      {foreign.length > 0 && <HeroNote>{words.lookAlikes(foreign.join(', '))}</HeroNote>}
    </>
  )
}

function Since({ sinceWallMs }: { readonly sinceWallMs: number }) {
  const nowMs = useWallNow() ?? sinceWallMs
  return (
    <HeroNote>
      {words.forPrefix}
      <b>{formatAge(nowMs - sinceWallMs)}</b>
      {words.since}
      <Moment wallMs={sinceWallMs} />
      {words.seenFromHere}
    </HeroNote>
  )
}

const LastAnswer = ({ reading, late }: { readonly reading: Reading; readonly late: boolean }) => (
  <HeroNote>
    {words.lastAnswer}
    <b>
      <Ticking>{(nowMs) => formatAge(nowMs - reading.startedMs)}</Ticking>
    </b>
    {words.ago}
    {words.took}
    <b>{formatLatency(reading.latencyMs)}</b>
    {late && ` ${words.late}`}
  </HeroNote>
)

const OldNotes = ({ reading }: { readonly reading: Reading }) => (
  <>
    <HeroNote>
      {words.asOf}
      <b>
        <Moment wallMs={reading.startedWallMs} />
      </b>
      , <Ticking>{(nowMs) => formatAge(nowMs - reading.startedMs)}</Ticking>
      {words.ago}
    </HeroNote>
    <HeroNote>{words.notKnownNow}</HeroNote>
  </>
)
