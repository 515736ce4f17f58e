import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'
import type { Zone } from '#texts/format-time.ts'

export type WallView = { readonly kind: 'fleet' } | { readonly kind: 'node'; readonly node: NodeKey }

/** Options of a wall screen, all held in the URL, so that a kiosk needs only a link. */
export type WallOptions = {
  /** 1 to 20 views, shown in rotation. */
  readonly views: readonly [WallView, ...WallView[]]
  readonly everyS: number
  /** Dimmed between these minutes of the day; the end may lie on the next day. */
  readonly dim: { readonly fromMin: number; readonly toMin: number } | undefined
  /** Shifts the picture by a few pixels each minute to prevent burn-in. */
  readonly shift: boolean
  readonly theme: 'dark' | 'light' | undefined
  readonly zone: Zone | undefined
  /** Unknown and invalid options of the URL, unchanged. */
  readonly odd: readonly string[]
}

export const VIEWS_MAX = 20
const EVERY = { min: 5, default: 30, max: 3_600 } as const
const FLEET = 'fleet'
/** Value of `dim`, e.g. "22:00-06:30". */
const HOURS = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/

/** Parses a URL such as `#/wall?show=fleet,NODE&every=30&dim=22:00-06:00&shift=off&theme=dark&time=utc`. */
export function wallOptionsOf(path: string, query: string): WallOptions {
  const odd: string[] = []
  const params = new URLSearchParams(query)
  const read = <T>(name: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = params.get(name)
    params.delete(name)
    if (text === null) return undefined
    const value = parse(text)
    if (value === undefined) odd.push(`${name}=${text}`)
    return value
  }
  const [, named] = /^\/wall\/(.+)$/.exec(path) ?? []
  const shown = named === undefined ? read('show', viewsOf) : ([viewOf(named)] as const)
  const options = {
    views: shown ?? ([{ kind: 'fleet' }] as const),
    everyS: read('every', secondsOf) ?? EVERY.default,
    dim: read('dim', hoursOf),
    shift: read('shift', oneOf(['on', 'off'])) !== 'off',
    theme: read('theme', oneOf<'dark' | 'light'>(['dark', 'light'])),
    zone: read('time', oneOf<Zone>(['utc', 'local'])),
  }
  for (const [name, text] of params) odd.push(`${name}=${text}`)
  return { ...options, odd }
}

const viewOf = (text: string): WallView =>
  text === FLEET ? { kind: 'fleet' } : { kind: 'node', node: nodeKeyFromText(decoded(text)) }

/** Text with an invalid percent-encoding stays unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function viewsOf(text: string): readonly [WallView, ...WallView[]] | undefined {
  const [first, ...others] = text.split(',').filter((part) => part !== '')
  if (first === undefined || others.length >= VIEWS_MAX) return undefined
  return [viewOf(first), ...others.map(viewOf)]
}

function secondsOf(text: string): number | undefined {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return seconds >= EVERY.min && seconds <= EVERY.max ? seconds : undefined
}

function hoursOf(text: string): WallOptions['dim'] {
  const found = HOURS.exec(text)
  if (found === null) return undefined
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = found.slice(1).map(Number)
  return { fromMin: fromHour * 60 + fromMinute, toMin: toHour * 60 + toMinute }
}

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T | undefined =>
    values.find((value) => value === text)

/** Whether the time is within `dim`; equal ends mean the whole day. */
export function isDimmed(dim: WallOptions['dim'], minuteOfDay: number): boolean {
  if (dim === undefined) return false
  const { fromMin, toMin } = dim
  return fromMin < toMin
    ? minuteOfDay >= fromMin && minuteOfDay < toMin
    : minuteOfDay >= fromMin || minuteOfDay < toMin
}

/** Shifts of 1 to 4 px, one a minute, repeating after eight; the same on every screen. */
const WALK = [
  [1, 1],
  [3, 2],
  [4, 4],
  [2, 3],
  [-1, -1],
  [-3, -2],
  [-4, -4],
  [-2, -3],
] as const

export const shiftAt = (minute: number): readonly [xPx: number, yPx: number] =>
  WALK[Math.floor(minute) % WALK.length] ?? WALK[0]
