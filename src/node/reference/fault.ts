/** A number or a text that a fault is given; absent from the form: it takes none. */
export type FaultValue = number | string

export type ValueForm =
  | { readonly unit: string; readonly default: number; readonly min: number; readonly max: number }
  | { readonly unit: 'text'; readonly default: string }

/** One fault: what it does in words and, where its group carries it out by a table, in code. */
export type Fault<Act> = { readonly about: string; readonly act: Act; readonly value?: ValueForm }

/** What a fault that is on was given, and what it remembers from request to request. */
export type FaultUse = {
  readonly value: FaultValue | undefined
  /** When it was set, by the service's clock. */
  readonly setAtMs: number
  /** Requests that met it, this one included. */
  hits: number
  /** What the first request left for the later ones. */
  kept: string | undefined
}

export function fault(about: string): Fault<undefined>
export function fault<Act>(about: string, act: Act, value?: ValueForm): Fault<Act>
export function fault<Act>(about: string, act?: Act, value?: ValueForm) {
  return { about, act, ...(value !== undefined && { value }) }
}

/** The faults of one group, each by its name. */
export const faultTable =
  <Act>() =>
  <Name extends string>(faults: Readonly<Record<Name, Fault<Act>>>) =>
    faults

export const DAY_MS = 86_400_000

/** The bounds of a number, both included. */
export const numberValue = (unit: string, fallback: number, min: number, max: number): ValueForm => ({
  unit,
  default: fallback,
  min,
  max,
})
export const textValue = (fallback: string): ValueForm => ({ unit: 'text', default: fallback })
export const delayMs = (fallback: number): ValueForm => numberValue('ms', fallback, 0, DAY_MS)
