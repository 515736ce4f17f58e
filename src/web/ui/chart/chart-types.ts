import type { ChartPicture } from './chart-picture.ts'
import type { TickUnit } from './nice-ticks.ts'
import type { ReactNode } from 'react'
import type { FigurePart } from '#ui/figure.tsx'
import type { Level } from '#ui/level.ts'

/** A stretch of the time axis, by what happened in it. Stretches do not overlap and are in time order. */
export type ChartSpan = {
  readonly fromMs: number
  readonly toMs: number
  readonly kind: 'answered' | 'no-answer' | 'not-watched'
  /** Colours the status strip where something was wrong although there was an answer. */
  readonly level?: Level
  /** In words, e.g. "HTTP 503" or "not watched 3 h 32 m". */
  readonly label: string
}

/** Points in time order, already reduced to what a pixel column can show; a NaN value breaks the line. */
export type ChartPoints = { readonly atMs: Float64Array; readonly value: Float64Array }

/** What is known of a stretch as a whole only, in words. */
export type ChartGap = { readonly fromMs: number; readonly toMs: number; readonly label: string }

export type ChartBar = { readonly fromMs: number; readonly toMs: number; readonly value: number }

export type LimitLine = {
  readonly value: number
  readonly level: Level
  readonly label: string
  /** The side of the limit on which something is wrong. */
  readonly bad: 'above' | 'below'
}

export type ChartMark = {
  readonly atMs: number
  readonly label: string
  readonly level?: Level
  /** A person put it there: it has a head that can be pointed at. */
  readonly isPinned?: boolean
}

export type ChartRail = {
  readonly from: number
  readonly to: number
  readonly value: number
  readonly label: string
  readonly filled?: boolean
}

type RowHead = {
  readonly id: string
  readonly title: string
  /** At the right of the title, e.g. "max 33 s". */
  readonly note?: ReactNode
  /** The current value. */
  readonly value: readonly FigurePart[]
  /** The current value is out of its limits. */
  readonly level?: Level
  /** The current value is the last known, not the current. */
  readonly old?: boolean
  /** Range rail under the value, with the row's usual range and limits. */
  readonly rail?: ChartRail
  readonly height?: 'full' | 'short'
  /** Of one of several that are compared: its id. Then that one's name stands in the place of the title. */
  readonly of?: string
  /** Over the first row of several that belong together. */
  readonly group?: string
}

/** A middle line with the band above it, as of the 50th to the 95th of 100. */
export type BandLine = {
  readonly kind: 'band'
  readonly points: ChartPoints
  /** The band's upper edge; as long as the points. */
  readonly upper: Float64Array
  readonly formatBand: (middle: number, upper: number) => string
}

/** Values that hold until the next one. */
export type StepLine = {
  readonly kind: 'steps'
  readonly points: ChartPoints
  /** The value of the point at this time in words, where its number does not hold it exactly. */
  readonly exactAt?: (atMs: number) => string | undefined
}

type RowScale = {
  /** Full form, for the crosshair and the table. */
  readonly format: (value: number) => string
  /** Short form for the axis. */
  readonly tickFormat?: (value: number) => string
  /** Absent: chosen from the values, the usual range and limits near by. */
  readonly domain?: readonly [number, number]
  /** Absent: two or three round values. */
  readonly ticks?: readonly number[]
  /** What is round; absent: a number. */
  readonly tickUnit?: TickUnit
  readonly usual?: readonly [number, number]
  readonly limits?: readonly LimitLine[]
}

/** Values over time, and how they are scaled and said. */
export type ValueSeries = RowScale &
  (
    | { readonly kind: 'line' | 'area'; readonly points: ChartPoints }
    | StepLine
    | { readonly kind: 'bars'; readonly bars: readonly ChartBar[]; readonly gaps?: readonly ChartGap[] }
    | BandLine
  )
export type ValueRow = RowHead & ValueSeries

/** Moments without a value, e.g. each change of something. `format` names what happened at one. */
type TickSeries = {
  readonly kind: 'ticks'
  readonly atMs: Float64Array
  readonly format: (atMs: number) => string
}
export type TickRow = RowHead & TickSeries

export type ChartSeries = ValueSeries | TickSeries

/** One of several things whose values stand on the same axes. Its place in their list is its colour, its dash and its mark. */
export type ComparedItem = {
  readonly id: string
  readonly title: string
  /** What happened to it: a gap of one is none of the others. */
  readonly spans: readonly ChartSpan[]
  /** So far from an answer its value is still taken as known. */
  readonly holdsMs: number
}

/** What one of them says in a row. */
export type ItemLine = {
  readonly of: string
  /** The current value. */
  readonly value: readonly FigurePart[]
  readonly level?: Level
  readonly old?: boolean
} & ({ readonly kind: 'line'; readonly points: ChartPoints } | StepLine)

/** A line of each on one value axis. */
export type LinesRow = RowHead &
  RowScale & {
    readonly kind: 'lines'
    readonly lines: readonly ItemLine[]
    /** The axis begins at zero. */
    readonly fromZero?: boolean
  }

/** What happened to one of them over time, by its stretches. */
export type StripRow = RowHead & { readonly kind: 'strip'; readonly of: string }

/** A row with one value at a time. */
export type PlainRow = ValueRow | TickRow

/** A row with a value axis. */
export type ScaledRow = ValueRow | LinesRow

export type ChartRow = PlainRow | LinesRow | StripRow

export type ChartTexts = {
  /** Names the crosshair: what the arrow keys move. */
  readonly crosshair: string
  /** How to look closer and back, where that is possible. */
  readonly zoom: string
  /** What the crosshair says for readers: the time, then each row's value. */
  readonly readout: (time: string, values: readonly string[]) => string
  /** A row has no value at that time, and no stretch says why. */
  readonly noValue: string
  readonly usual: string
  /** A row's usual range in words, from its title and both ends. */
  readonly usualOf: (row: string, from: string, to: string) => string
  readonly limit: string
  readonly noAnswer: string
  readonly notWatched: string
  readonly event: string
  readonly showTable: string
  readonly tableLabel: string
  readonly timeHeader: string
  readonly stateHeader: string
  readonly emptyTable: string
}

export type StripChartProps = {
  /** Names the chart, e.g. "History, last 15 minutes". */
  readonly label: string
  readonly fromMs: number
  readonly toMs: number
  readonly timeZone: 'utc' | 'local'
  /** BCP 47; absent: English with a 24-hour clock. */
  readonly locale?: string
  /** E.g. "All times UTC". */
  readonly zoneText: string
  /** Stands at the right end when the axis ends now. */
  readonly nowText?: string
  readonly texts: ChartTexts
  readonly spans: readonly ChartSpan[]
  readonly rows: readonly ChartRow[]
  readonly marks?: readonly ChartMark[]
  /** Draws the status strip from the spans. */
  readonly health?: { readonly title: string; readonly value: ReactNode; readonly label: string }
  /** At the end of the legend, e.g. how many points stand for how many. */
  readonly legendNote?: string
  readonly zoom?: ChartZoom
  /** Saves the chart as a file, with its title and a line of remarks drawn above it. */
  readonly picture?: {
    readonly label: (format: string) => string
    readonly title: string
    readonly note: string
    readonly save: (picture: ChartPicture, format: 'svg' | 'png') => void
  }
  /** Whose values the rows compare, and what one of them is called. */
  readonly compared?: { readonly header: string; readonly items: readonly ComparedItem[] }
}

/** Looking closer, and back. Unix ms, in time order. */
export type ChartZoom = {
  readonly into: (fromMs: number, toMs: number) => void
  /** Undefined where there is nothing to go back to. */
  readonly back: (() => void) | undefined
}
