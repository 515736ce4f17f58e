import type { AlarmView } from './alarm.ts'
import type { AlarmFacts } from './webhook-payload.ts'

/** One alert as `POST /api/v2/alerts` takes it. */
export type Alert = {
  /** What tells one alert from another: an alert with other labels is another alert. */
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** RFC 3339 times. */
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL: string
}

/** A screen that dies must not resolve its alerts, and one that is thrown away must not leave them for ever. */
export const ALERT_LIFE_MS = 86_400_000

const LABEL_CHARS_MAX = 512
const ANNOTATION_CHARS_MAX = 2_048

/** The alert of an alarm that is on, without its end. Names and words may change, so they are annotations. */
export function alertOf(alarm: AlarmView, facts: AlarmFacts): Omit<Alert, 'endsAt'> {
  return {
    labels: present(LABEL_CHARS_MAX, {
      alertname: `ImmuneNode${camelCased(alarm.kind)}`,
      severity: alarm.severity,
      rule: alarm.ruleId,
      service: facts.service,
      node: facts.nodeId,
      alarm: alarm.id,
    }),
    annotations: present(ANNOTATION_CHARS_MAX, {
      summary: facts.title,
      description: facts.text,
      node_name: facts.nodeName,
      todo: alarm.todo,
    }),
    startsAt: new Date(alarm.raisedWallMs ?? alarm.sinceWallMs).toISOString(),
    generatorURL: facts.link,
  }
}

/** What the test button sends; it ends by itself. */
export const testAlert = (wallMs: number, summary: string, link: string): Alert => ({
  labels: { alertname: 'ImmuneNodeDashboardTest', severity: 'info' },
  annotations: { summary },
  startsAt: new Date(wallMs).toISOString(),
  endsAt: new Date(wallMs + TEST_LIFE_MS).toISOString(),
  generatorURL: link,
})

const TEST_LIFE_MS = 300_000

/** Alertmanager drops empty labels; an empty annotation says nothing. */
const present = (
  charsMax: number,
  all: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, text]) =>
      text === undefined || text === '' ? [] : [[name, text.slice(0, charsMax)]],
    ),
  )

const camelCased = (kebab: string): string =>
  kebab
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
