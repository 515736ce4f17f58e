import { ENCODINGS, isParameter } from './template-parts.ts'

/** What stands for a text wherever a profile has a template. */
export const TEXT_PLACEHOLDERS = [
  'method',
  'scheme',
  'authority',
  'origin',
  'path',
  'query',
  'sortedQuery',
  'target',
  'url',
  'param.node_id',
  'ts.s',
  'ts.ms',
  'ts.iso',
  'ts.window',
  'exp.s',
  'exp.ms',
  'exp.iso',
  'kid',
  'kid.thumbprint',
] as const

/** What stands for bytes, and takes an encoding: {key.hex}. */
export const BYTE_PLACEHOLDERS = ['key', 'nonce', 'sig'] as const

/** The results of signing, or what is there in place of it, which only a header can carry. */
export const RESULT_PLACEHOLDERS = {
  template: [],
  none: ['token'],
  jwt: ['jwt'],
  rfc9421: ['sigInput', 'sigHeader'],
} as const

export type MessageKind = keyof typeof RESULT_PLACEHOLDERS

const TEXTS: ReadonlySet<string> = new Set(TEXT_PLACEHOLDERS)
const ENCODED: ReadonlySet<string> = new Set(
  BYTE_PLACEHOLDERS.flatMap((name) => ENCODINGS.map((encoding) => `${name}.${encoding}`)),
)

export type Place = 'signed' | 'header'

/** Why a name can't stand where it does, as the end of a sentence that begins with it; undefined when it can. */
export function placeholderProblem(name: string, place: Place, kind: MessageKind): string | undefined {
  if (TEXTS.has(name) || isParameter(name)) return undefined
  const isSignature = name.startsWith('sig.')
  if (ENCODED.has(name) && !isSignature) return undefined
  const results: readonly string[] = RESULT_PLACEHOLDERS[kind]
  const isResult = (ENCODED.has(name) && kind !== 'none') || results.includes(name)
  if (!isResult) return 'is not a placeholder here'
  return place === 'header' ? undefined : 'can’t be part of what is signed'
}
