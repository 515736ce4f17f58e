import * as v from 'valibot'
import { toVisibleText } from '#base/visible-text.ts'

/** Far above any stored length, so that a long name is cut instead of refused. */
const READ_CHARS_MAX = 20_000
const ALARMS_MAX = 50
const FACTS_MAX = 12
/** Maximum number of nodes named in a message; `nodeCount` counts all. */
export const NODES_MAX = 5

/** One line without hidden characters: a name from a service can neither add lines nor hide or reverse text. */
const line = (charsMax: number) =>
  v.pipe(
    v.string(),
    v.maxLength(READ_CHARS_MAX),
    v.transform((text) => toVisibleText(text.replace(/\s+/g, ' ').trim(), charsMax)),
  )

const Severity = v.picklist(['critical', 'warning', 'info'])

const Count = v.pipe(v.number(), v.integer(), v.minValue(0))

const Link = v.pipe(
  v.string(),
  v.maxLength(2_000),
  v.regex(/^https?:\/\/[^\s"'<>|\\^`{}]+$/i, 'is not the URL of an alarm'),
)

/** Only for services that have one incident per alarm. */
const MessageAlarm = v.object({
  id: v.pipe(v.string(), v.maxLength(1_000)),
  title: v.optional(line(300)),
  severity: v.optional(Severity),
  link: v.fallback(v.optional(Link), undefined),
  nodeName: v.optional(line(100)),
})

/**
 * A notification for people: version 1 of the webhook's body, which every kind of receiver renders. A relay accepts it from a
 * page, so each part has a bound.
 */
export const MessageSchema = v.object({
  version: v.literal(1),
  /** The same when the message is sent again. */
  id: v.pipe(v.string(), v.maxLength(200)),
  kind: v.picklist(['problem', 'recovery', 'reminder', 'acknowledged', 'test']),
  reason: v.optional(line(40)),
  severity: Severity,
  at: v.pipe(v.string(), v.isoTimestamp()),
  /** One line with severity, problem and name. */
  title: line(300),
  /** The alarm's URL in the dashboard. */
  link: v.fallback(v.optional(Link), undefined),
  /** Value, limit, times, cause, what to do: in the order in which they are shown. */
  facts: v.optional(
    v.pipe(v.array(v.object({ name: line(40), text: line(500) })), v.maxLength(FACTS_MAX)),
    [],
  ),
  nodes: v.optional(v.pipe(v.array(line(100)), v.maxLength(NODES_MAX)), []),
  nodeCount: v.optional(Count, 0),
  /** Number of earlier messages that were dropped. */
  missed: v.optional(Count, 0),
  alarms: v.pipe(v.array(MessageAlarm), v.maxLength(ALARMS_MAX)),
})
export type Message = v.InferOutput<typeof MessageSchema>

/** The `thread` with which a provider answered the alarm's problem. */
export type ThreadOf = (alarmId: string) => string | undefined

/** Label of the link to an alarm. */
export const LINK_WORDS = 'Open in the dashboard'

/** How many earlier messages were dropped, as lines: one, or none. */
export const droppedLines = ({ missed }: Message): readonly string[] =>
  missed > 0 ? [`${missed} earlier ${missed === 1 ? 'message was' : 'messages were'} dropped.`] : []

/** The facts as lines, then how many messages were dropped before. */
export const factLines = (message: Message): readonly string[] => [
  ...message.facts.map(({ name, text }) => `${name}: ${text}`),
  ...droppedLines(message),
]

/** Title, facts and link, as most services show them; `link` is '' for those that show none. */
export const shownText = (message: Message, link = LINK_WORDS): string =>
  [message.title, ...factLines(message), message.link === undefined ? '' : link].filter(Boolean).join('\n')

/** Cut to a number of UTF-16 units, between characters. */
export function fitting(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const cut = text.slice(0, charsMax - 1)
  return `${cut.replace(/[\ud800-\udbff]$/, '')}…`
}
