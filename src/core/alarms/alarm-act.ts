import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { readStored } from '#base/stored.ts'

const IDS_MAX = 2_000
const TEXT_MAX = 2_000

const ids = v.pipe(v.array(v.pipe(v.string(), v.maxLength(TEXT_MAX))), v.maxLength(IDS_MAX), v.readonly())
const text = v.pipe(v.string(), v.maxLength(TEXT_MAX))
const untilWallMs = finite

const Act = v.variant('act', [
  v.strictObject({ act: v.literal('acknowledge'), ids, note: v.exactOptional(text) }),
  v.strictObject({ act: v.literal('acknowledge-all'), note: v.exactOptional(text) }),
  v.strictObject({ act: v.picklist(['unacknowledge', 'acknowledge-end', 'unshelve']), ids }),
  v.strictObject({ act: v.literal('shelve'), ids, untilWallMs, reason: text }),
  v.strictObject({ act: v.literal('mute'), untilWallMs }),
  v.strictObject({ act: v.literal('unmute') }),
])

/** `by`: the name of the person, where visitors have names. */
export type AlarmAct = Readonly<v.InferOutput<typeof Act>> & { readonly by?: string }

export type ActOnAlarms = Exclude<AlarmAct, { readonly act: 'mute' | 'unmute' }>

/** An act as a page sends it to a server. The server itself adds the person's name. */
export const readAlarmAct = (value: unknown): AlarmAct | undefined => readStored(Act, value)
