import { shifted } from '#record/amount.ts'
import type { EffectiveSettings } from '#settings/effective-settings.ts'
import { readParticipation } from '#record/participation.ts'
import { checkOf, type Stage } from '#fleet/assessment.ts'
import type { NodeLive } from '#fleet/live.ts'
import type { LaneData } from '#history/history.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { formatCompact, formatCount, formatSpan, latencyParts, percentParts } from '#texts/format.ts'
import { valueLevel } from '#parts/severity.ts'
import type { FigurePart } from '#ui/figure.tsx'
import type { Level } from '#ui/level.ts'

export type WallFigure = {
  readonly id: 'participation' | 'threats' | 'stake' | 'answer'
  readonly title: string
  readonly parts: readonly FigurePart[]
  readonly level: Level | undefined
}

const NONE: readonly FigurePart[] = [{ text: words.none, as: 'unit' }]

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The four numbers of a node, as they were at its last answer. `lastHour`: its history of the last hour. */
export function figuresOf(
  { reading }: NodeLive,
  settings: EffectiveSettings,
  stage: Stage,
  lastHour: LaneData | undefined,
): readonly WallFigure[] {
  const field = reading?.record.participation
  const read = field?.ok === true ? readParticipation(field.value, settings.participation.value) : undefined
  return [
    {
      id: 'participation',
      title: words.participation,
      parts: read === undefined ? NONE : percent(read.ratio),
      level: valueLevel(checkOf(stage.checks, 'participation')),
    },
    { id: 'threats', title: words.threats, parts: threatsIn(lastHour), level: undefined },
    {
      id: 'stake',
      title: words.stake,
      parts: stakeOf(reading, settings),
      level: valueLevel(checkOf(stage.checks, 'stake')),
    },
    {
      id: 'answer',
      title: words.answer,
      parts: reading === undefined ? NONE : withUnit(latencyParts(reading.latencyMs)),
      level: valueLevel(checkOf(stage.checks, 'answerTime')),
    },
  ]
}

const withUnit = ({ figure, unit }: { readonly figure: string; readonly unit: string }) => [
  { text: figure },
  { text: ` ${unit}`, as: 'unit' as const },
]

function percent(ratio: number): readonly FigurePart[] {
  const { whole, fraction } = percentParts(ratio)
  return [{ text: whole }, { text: `${fraction} %`, as: 'unit' }]
}

/** Nearly a whole hour is one: what is missing are the two ends. */
const WHOLE_HOUR = 0.95

/** What was counted in the last hour. Nothing is added for what was not watched: then the time that was stands there. */
function threatsIn(lastHour: LaneData | undefined): readonly FigurePart[] {
  if (lastHour === undefined || lastHour.answered === 0) return NONE
  const watchedMs = lastHour.spans
    .filter(({ kind }) => kind === 'answered')
    .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  const unit =
    watchedMs >= WHOLE_HOUR * HOUR_MS
      ? words.perHour
      : words.inTime(formatSpan(Math.max(MINUTE_MS, Math.floor(watchedMs / MINUTE_MS) * MINUTE_MS)))
  return [{ text: formatCount(lastHour.threatIncrease) }, { text: ` ${unit}`, as: 'unit' }]
}

function stakeOf(reading: NodeLive['reading'], settings: EffectiveSettings): readonly FigurePart[] {
  const stake = reading?.record.stake
  if (stake?.ok !== true) return NONE
  const [figure = '', letter] = formatCompact(shifted(stake.value, settings.stakeDecimals.value).value).split(
    '\u00a0',
  )
  const symbol = settings.stakeSymbol.value
  const unit = [letter, symbol].filter((part) => part !== undefined && part !== '').join(' ')
  return [{ text: figure }, ...(unit === '' ? [] : [{ text: ` ${unit}`, as: 'unit' as const }])]
}
