/** What tabs tell each other about who leads. `from` is a tab's own random name. */
export type TabMessage =
  /** I lead, in this term. For `holdMs` more I do not send yet, and nobody else may. `wallMs`: said then, Unix ms. */
  | {
      readonly kind: 'beat'
      readonly from: string
      readonly term: number
      readonly holdMs: number
      readonly wallMs: number
    }
  /** Does anybody lead? */
  | { readonly kind: 'ask'; readonly from: string }
  /** I shall lead unless somebody objects. Only where there are no locks. */
  | { readonly kind: 'claim'; readonly from: string; readonly term: number }
  /** A person wants `from` to lead. */
  | { readonly kind: 'take-over'; readonly from: string }
  /** I have stopped: `to` may begin. */
  | { readonly kind: 'yield'; readonly from: string; readonly to: string; readonly term: number }
  /** The page of the tab that leads says that the browser is about to freeze it. */
  | { readonly kind: 'freeze'; readonly from: string; readonly term: number }
  /** I led, and have stopped. */
  | { readonly kind: 'bye'; readonly from: string; readonly term: number }

const NAME = /^[0-9a-f]{16}$/

/** A tab's name, or undefined where the value is none. */
export const tabNameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && NAME.test(value) ? value : undefined

/** Own data property of what came from another tab, which may run another version. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** Reads a message of another tab; undefined where it is none of these. Never throws. */
export function readTabMessage(data: unknown): TabMessage | undefined {
  const from = tabNameOf(fieldOf(data, 'from'))
  if (from === undefined) return undefined
  const term = numberOf(fieldOf(data, 'term'))
  const kind = fieldOf(data, 'kind')
  if (kind === 'ask' || kind === 'take-over') return { kind, from }
  if (term === undefined) return undefined
  if (kind === 'claim' || kind === 'bye' || kind === 'freeze') return { kind, from, term }
  if (kind === 'beat') {
    const holdMs = numberOf(fieldOf(data, 'holdMs'))
    const wallMs = numberOf(fieldOf(data, 'wallMs'))
    return holdMs === undefined || wallMs === undefined ? undefined : { kind, from, term, holdMs, wallMs }
  }
  const to = tabNameOf(fieldOf(data, 'to'))
  return kind === 'yield' && to !== undefined ? { kind, from, to, term } : undefined
}
