import { jsonIn, membersOf } from '#base/stored.ts'
import { factLines, fitting, type Message } from './message.ts'

/** A URL below a base, which may have a path of its own. */
export const endpoint = (base: string, path: string): string => `${base.replace(/\/+$/, '')}/${path}`

/** The members of an answer that is a JSON object; none of any other. */
export const answerOf = (body: string): Readonly<Record<string, unknown>> => membersOf(jsonIn(body)) ?? {}

/** A name must not become a link in a client that makes links of plain text. */
export const unlinked = (text: string): string => text.replace(/:\/\//g, ':\uff0f\uff0f')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** As text or as an attribute's value. */
export const htmlText = (text: string): string => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)

/** The facts without links, one a line; the title if there are none, since most services refuse an empty text. */
export const plainFacts = (message: Message, charsMax: number): string =>
  fitting(unlinked(factLines(message).join('\n') || message.title), charsMax)

/** By which an earlier message about one of the alarms is found. */
export const threadIn = (
  { alarms }: Message,
  threadOf: (alarmId: string) => string | undefined,
): string | undefined => alarms.map(({ id }) => threadOf(id)).find((thread) => thread !== undefined)

/** At most so many bytes of UTF-8, cut between characters. */
export function fittingBytes(text: string, bytesMax: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= bytesMax) return text
  // As the start of a stream: a character that the cut divides is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, bytesMax - 3), { stream: true })}…`
}
