import type { ChartPicture } from './chart-picture.ts'
import type { TickUnit } from './nice-ticks.ts'
import type { ReactNode } from 'react'
import type { FigurePart } from '#ui/figure.tsx'
import type { Level } from '#ui/level.ts'

/** A time range with one state. Spans do not overlap and are in time order. */
export type ChartSpan = {
  readonly fromMs: number
  readonly toMs: number
  readonly kind: 'answered' | 'no-answer' | 'not-watched'
  /** Severity of an alarm during an answered span; colours the status strip. */
  readonly level?: Level
  readonly label: string
}

/** Points in time order, already reduced to pixel resolution; NaN breaks the line. */
export type ChartPoints = { readonly atMs: Float64Array; readonly value: Float64Array }

/** A time range for which only a summary text is known. */
export type ChartGap = { readonly fromMs: number; readonly toMs: number; readonly label: string }

export type ChartBar = { readonly fromMs: number; readonly toMs: number; readonly value: number }

export type LimitLine = {
  readonly value: number
  readonly level: Level
  readonly label: string
  /** The side of the limit that breaches it. */
  readonly bad: 'above' | 'below'
}

export type ChartMark = {
  readonly atMs: number
  readonly label: string
  readonly level?: Level
  /** Set by a person; drawn with a handle for the pointer. */
  readonly isPinned?: boolean
}

type RowHead = {
  readonly id: string
  readonly title: string
  readonly note?: ReactNode
  readonly value: readonly FigurePart[]
  readonly level?: Level
  /** `value` is the last known value, not a current one. */
  readonly old?: boolean
  readonly height?: 'full' | 'short'
  /** Id of the compared item that this row belongs to; its name replaces the title. */
  readonly of?: string
  readonly group?: string
}

/** A middle line with a band above it, e.g. p50 to p95. */
export type BandLine = {
  readonly kind: 'band'
  readonly points: ChartPoints
  /** The band's upper edge; same length as the points. */
  readonly upper: Float64Array
  readonly formatBand: (middle: number, upper: number) => string
}

export type StepLine = {
  readonly kind: 'steps'
  readonly points: ChartPoints
  /** Exact text of the value at this time, where a double cannot represent it. */
  readonly exactAt?: (atMs: number) => string | undefined
}

type RowScale = {
  readonly format: (value: number) => string
  readonly tickFormat?: (value: number) => string
  /** Absent: derived from the values, the usual range and the nearest limits. */
  readonly domain?: readonly [number, number]
  /** Absent: two or three round values. */
  readonly ticks?: readonly number[]
  /** Unit whose round steps the ticks use; absent: number. */
  readonly tickUnit?: TickUnit
  readonly usual?: readonly [number, number]
  readonly limits?: readonly LimitLine[]
}

export type ValueSeries = RowScale &
  (
    | { readonly kind: 'line' | 'area'; readonly points: ChartPoints }
    | StepLine
    | { readonly kind: 'bars'; readonly bars: readonly ChartBar[]; readonly gaps?: readonly ChartGap[] }
    | BandLine
  )
export type ValueRow = RowHead & ValueSeries

/** Moments without a value, such as changes; `format` describes the change at a moment. */
type TickSeries = {
  readonly kind: 'ticks'
  readonly atMs: Float64Array
  readonly format: (atMs: number) => string
}
export type TickRow = RowHead & TickSeries

export type ChartSeries = ValueSeries | TickSeries

/** One of several items compared on the same axes. Its index selects its colour, dash and mark. */
export type ComparedItem = {
  readonly id: string
  readonly title: string
  /** The item's own gaps; the other items do not share them. */
  readonly spans: readonly ChartSpan[]
  /** How long an answer's value counts as current. */
  readonly holdsMs: number
}

export type ItemLine = {
  readonly of: string
  readonly value: readonly FigurePart[]
  readonly level?: Level
  readonly old?: boolean
} & ({ readonly kind: 'line'; readonly points: ChartPoints } | StepLine)

export type LinesRow = RowHead &
  RowScale & {
    readonly kind: 'lines'
    readonly lines: readonly ItemLine[]
    readonly fromZero?: boolean
  }

export type StripRow = RowHead & { readonly kind: 'strip'; readonly of: string }

export type PlainRow = ValueRow | TickRow

export type ScaledRow = ValueRow | LinesRow

export type ChartRow = PlainRow | LinesRow | StripRow

export type ChartTexts = {
  readonly crosshair: string
  readonly zoom: string
  readonly readout: (time: string, values: readonly string[]) => string
  /** Text for a row without a value where no span gives a reason. */
  readonly noValue: string
  readonly usual: string
  readonly usualOf: (row: string, from: string, to: string) => string
  readonly limit: string
  readonly noAnswer: string
  readonly notWatched: string
  readonly event: string
  readonly showTable: string
  readonly table: string
  readonly time: string
  readonly state: string
  readonly emptyTable: string
}

export type StripChartProps = {
  readonly label: string
  readonly fromMs: number
  readonly toMs: number
  readonly timeZone: 'utc' | 'local'
  readonly zoneText: string
  readonly nowText?: string
  readonly texts: ChartTexts
  readonly spans: readonly ChartSpan[]
  readonly rows: readonly ChartRow[]
  readonly marks?: readonly ChartMark[]
  readonly health?: { readonly title: string; readonly value: ReactNode; readonly label: string }
  readonly legendNote?: string
  readonly zoom?: ChartZoom
  /** Saves the chart as a file, with its title and a line of remarks drawn above it. */
  readonly picture?: {
    readonly label: (format: string) => string
    readonly title: string
    readonly note: string
    readonly save: (picture: ChartPicture, format: 'svg' | 'png') => void
  }
  readonly compared?: { readonly header: string; readonly items: readonly ComparedItem[] }
}

/** Zooms in and out. Times in Unix ms, in time order. */
export type ChartZoom = {
  readonly into: (fromMs: number, toMs: number) => void
  /** Undefined at the outermost zoom. */
  readonly back: (() => void) | undefined
}
