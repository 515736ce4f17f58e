import { jsonIn, membersOf } from '#base/stored.ts'
import { factLines, fitting, type Message, type ThreadOf } from './message.ts'

/** A URL below a base, which may have a path of its own. */
export const endpoint = (base: string, path: string): string => `${base.replace(/\/+$/, '')}/${path}`

/** The members of an answer that is a JSON object; none for any other answer. */
export const answerOf = (body: string): Readonly<Record<string, unknown>> => membersOf(jsonIn(body)) ?? {}

/** Keeps a name from becoming a link in a client that makes links of plain text. */
export const unlinked = (text: string): string => text.replace(/:\/\//g, ':\uff0f\uff0f')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** As text or as an attribute's value. */
export const htmlText = (text: string): string => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)

/** The facts without links, one a line; the title if there are none, since most services refuse an empty text. */
export const plainFacts = (message: Message, charsMax: number): string =>
  fitting(unlinked(factLines(message).join('\n') || message.title), charsMax)

/** Finds the thread of an earlier message about one of the alarms. */
export const threadIn = ({ alarms }: Message, threadOf: ThreadOf): string | undefined =>
  alarms.map(({ id }) => threadOf(id)).find((thread) => thread !== undefined)

/** Cut to a number of UTF-8 bytes, between characters. */
export function fittingBytes(text: string, bytesMax: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= bytesMax) return text
  // Decoding as the start of a stream omits a character that the cut divides.
  return `${new TextDecoder().decode(bytes.subarray(0, bytesMax - 3), { stream: true })}…`
}
