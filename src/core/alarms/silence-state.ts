import type { AlarmView } from './alarm.ts'
import { alertOf } from './alertmanager-payload.ts'
import type { AlarmFacts } from './webhook-payload.ts'

/** An alarm that somebody has taken on. The two labels say which alert it is; one that got worse is another. */
export type WantedSilence = {
  readonly alarm: string
  readonly severity: string
  readonly comment: string
}

/** A silence that an Alertmanager has. */
export type HeldSilence = WantedSilence & {
  /** Alertmanager's own; empty before it has one. */
  readonly id: string
  readonly startsWallMs: number
  readonly endsWallMs: number
}

const COMMENT_CHARS_MAX = 1_024

/** The alarms that are to be silent. */
export const silencesFor = (
  alarms: readonly AlarmView[],
  describe: (alarm: AlarmView) => AlarmFacts,
): readonly WantedSilence[] =>
  alarms.flatMap((alarm) => {
    const { phase, acknowledged, severity } = alarm
    if (acknowledged === undefined || (phase !== 'firing' && phase !== 'recovering')) return []
    const facts = describe(alarm)
    const label = alertOf(alarm, facts).labels['alarm']
    if (label === undefined) return []
    const comment = `Acknowledged on the dashboard: ${acknowledged.note ?? facts.title}`
    return [{ alarm: label, severity, comment: comment.slice(0, COMMENT_CHARS_MAX) }]
  })

/** As `POST /api/v2/silences` takes it; with an id it changes the one that is there. */
export const silenceOf = ({ id, alarm, severity, comment, startsWallMs, endsWallMs }: HeldSilence) => ({
  ...(id !== '' && { id }),
  matchers: [equal('alarm', alarm), equal('severity', severity)],
  startsAt: new Date(startsWallMs).toISOString(),
  endsAt: new Date(endsWallMs).toISOString(),
  createdBy: 'immune node dashboard',
  comment,
})

const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true })

/** The id in `{"silenceID":"…"}`; undefined where the answer is none. */
export const silenceIdIn = (answer: string): string | undefined =>
  /"silenceID"\s*:\s*"([0-9a-f-]{1,64})"/i.exec(answer)?.[1]

/** What was kept; nothing where it can't be read. */
export function heldFrom(kept: unknown): readonly HeldSilence[] {
  const all: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'silences') : undefined
  return Array.isArray(all) ? all.filter(isHeld) : []
}

const isHeld = (value: unknown): value is HeldSilence => {
  if (typeof value !== 'object' || value === null) return false
  const member = (name: string): unknown => Reflect.get(value, name)
  return (
    ['id', 'alarm', 'severity', 'comment'].every((name) => typeof member(name) === 'string') &&
    ['startsWallMs', 'endsWallMs'].every((name) => Number.isFinite(member(name)))
  )
}
