import { fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type {
  ChartGap,
  ChartRow,
  ChartMark,
  ChartSpan,
  ChartTexts,
  ChartZoom,
  ValueRow,
} from '#ui/chart/chart-types.ts'
import { StripChart } from '#ui/chart/strip-chart.tsx'
import { giveLayout } from '#test/support/jsdom-layout.ts'

beforeAll(giveLayout)

const FROM_MS = Date.UTC(2026, 10, 20, 14, 0, 0)
const MINUTE = 60_000
const TO_MS = FROM_MS + 10 * MINUTE

const TEXTS: ChartTexts = {
  crosshair: 'Moment',
  zoom: 'Drag to look closer',
  readout: (time, values) => `${time}: ${values.join(', ')}`,
  noValue: 'none',
  usual: 'usual',
  usualOf: (row, from, to) => `${row} usually ${from} to ${to}`,
  limit: 'limit',
  noAnswer: 'asked, no answer',
  notWatched: 'not watched',
  event: 'event',
  showTable: 'Show as table',
  table: 'History',
  time: 'Time',
  state: 'State',
  emptyTable: 'Nothing yet',
}

const points = (values: readonly number[]) => ({
  atMs: Float64Array.from(values, (_, place) => FROM_MS + place * MINUTE),
  value: Float64Array.from(values),
})
const age = (values: readonly number[]): ValueRow => ({
  id: 'age',
  title: 'Age',
  value: [{ text: '4' }, { text: 's', as: 'unit' }],
  kind: 'area',
  points: points(values),
  format: (value) => `${value} s`,
  limits: [{ value: 60, level: 'warning', label: 'warn 60', bad: 'above' }],
})
const proof: ChartRow = {
  id: 'proof',
  title: 'Proof',
  value: [{ text: '0x1' }],
  kind: 'ticks',
  atMs: Float64Array.from([FROM_MS + 2 * MINUTE]),
  format: () => 'changed',
}
const SPANS: readonly ChartSpan[] = [
  { fromMs: FROM_MS, toMs: FROM_MS + 3 * MINUTE, kind: 'answered', label: 'answered' },
  { fromMs: FROM_MS + 3 * MINUTE, toMs: FROM_MS + 5 * MINUTE, kind: 'no-answer', label: 'HTTP 503' },
  { fromMs: FROM_MS + 5 * MINUTE, toMs: TO_MS, kind: 'not-watched', label: 'asleep 5 min' },
]

const chart = (
  rows: readonly ChartRow[],
  spans = SPANS,
  zoom?: ChartZoom,
  marks: readonly ChartMark[] = [{ atMs: FROM_MS + MINUTE, label: 'Stake changed' }],
  toMs = TO_MS,
) => (
  <StripChart
    {...(zoom && { zoom })}
    label="Last 10 minutes"
    fromMs={FROM_MS}
    toMs={toMs}
    timeZone="utc"
    zoneText="UTC"
    texts={TEXTS}
    spans={spans}
    rows={rows}
    marks={marks}
    health={{ title: 'Health', value: '30 %', label: '10 m' }}
  />
)
const readout = () => screen.getByRole('slider').getAttribute('aria-valuetext')

afterEach(() => vi.restoreAllMocks())

describe('StripChart', () => {
  it('draws each series as one path that breaks at gaps, and again beyond its limits', () => {
    const values = [4, 70, 6, Number.NaN, 8]
    const { container, rerender } = render(chart([age(values), proof]))
    const line = () => container.querySelector('.plot-line:not(.two):not(.warning)')?.getAttribute('d')
    expect(line()?.match(/M/g)).toHaveLength(2)
    const coloured = Array.from(container.querySelectorAll('.plot-line.warning'), (path) =>
      path.getAttribute('d'),
    )
    expect(coloured.map((path) => path?.match(/[ML]/g))).toEqual([['M', 'L', 'L']])
    expect(container.querySelectorAll('.plot-gap')).toHaveLength(2)
    rerender(chart([{ ...age(values), kind: 'steps', points: points(values) }, proof]))
    expect(line()?.match(/M/g)).toHaveLength(2)
  })

  it('redraws the axis of a row when its values move it, but not when only time passes', () => {
    const tickFormats = [vi.fn<(value: number) => string>(String), vi.fn<(value: number) => string>(String)]
    const rowsWith = (...tops: readonly [number, number]) =>
      tickFormats.map((tickFormat, at) => ({ ...age([4, tops[at] ?? 0]), id: `age ${at}`, tickFormat }))
    const rows = rowsWith(70, 70)
    const { rerender } = render(chart(rows))
    const drawn = () => tickFormats.map((format) => format.mock.calls.splice(0).length)
    drawn()
    rerender(chart(rows, SPANS, undefined, undefined, TO_MS + MINUTE))
    expect(drawn()).toEqual([0, 0])
    rerender(chart(rowsWith(70, 7_000)))
    const [same, moved] = drawn()
    expect(moved).toBeGreaterThan(same ?? 0)
  })

  it('shows a gap’s label in the readout, and in the plot if there is room', () => {
    const threats = (gaps: readonly ChartGap[]): ChartRow => ({
      id: 'threats',
      title: 'Threats',
      value: [],
      kind: 'bars',
      bars: [{ fromMs: FROM_MS, toMs: FROM_MS + MINUTE, value: 2 }],
      gaps,
      format: String,
    })
    const gap = { fromMs: FROM_MS + 5 * MINUTE, toMs: TO_MS, label: '37 while not watched' }
    const { container, rerender } = render(chart([threats([gap])]))
    const inPlot = () => Array.from(container.querySelectorAll('svg text'), (text) => text.textContent)
    expect(readout()).toContain('Threats 37 while not watched')
    expect(inPlot()).toContain('37 while not watched')
    rerender(chart([threats([{ ...gap, fromMs: TO_MS - 1_000 }])]))
    expect(readout()).toContain('Threats 37 while not watched')
    expect(inPlot()).not.toContain('37 while not watched')
  })

  it('draws the time axis and labelled limit lines, which move with their limit', async () => {
    const row = age([4, 70, 6])
    const { container, rerender } = render(
      chart([{ ...row, limits: [{ value: 61, level: 'warning', label: 'warn 61', bad: 'above' }] }]),
    )
    const lineY = () => container.querySelector('.plot-limit line')?.getAttribute('y1') ?? undefined
    await expect.poll(lineY).toBeDefined()
    const before = lineY()
    rerender(chart([row]))
    await expect.poll(lineY).not.toBe(before)
    const times = Array.from(container.querySelectorAll('.plot-time'), (text) => text.textContent)
    expect(times.join(' ')).toBe('14:02 14:04 14:06 14:08 14:10')
    expect(screen.getByText('warn 60')).toBeDefined()
  })

  it('moves the crosshair from point to point by keyboard, and reads out every row', async () => {
    render(chart([age([4, 5, 6]), proof]))
    await userEvent.tab()
    expect(document.activeElement).toBe(screen.getByRole('slider', { name: 'Moment' }))
    for (const [key, text] of [
      ['{Home}', '14:00:00: Age 4 s'],
      ['{ArrowRight}', '14:01:00: Age 5 s, Stake changed'],
      ['{ArrowRight}', '14:02:00: Age 6 s, Proof changed'],
      ['{ArrowLeft}', '14:01:00: Age 5 s, Stake changed'],
      ['{End}', '14:02:00: Age 6 s, Proof changed'],
    ] as const) {
      await userEvent.keyboard(key)
      expect([key, readout()]).toEqual([key, text])
    }
  })

  it('follows the pointer, and shows the cause of a gap instead of a value', () => {
    render(chart([age([4, 5, 6]), proof]))
    const slider = screen.getByRole('slider')
    const { left, width } = { left: 0, width: 1_092 - 224 - 4.75 * 16 }
    // jsdom puts every element's left edge at 0, so the pointer is given relative to the plot.
    fireEvent.pointerMove(slider, { clientX: left + width * 0.4 })
    expect(readout()).toBe('14:04:00: Age HTTP 503, Proof HTTP 503')
    expect(screen.getAllByText('HTTP 503')).toHaveLength(2)
    fireEvent.pointerLeave(slider)
    expect(screen.queryByText('HTTP 503')).toBeNull()
  })

  describe('zooming', () => {
    const zoomed = () => {
      const into = vi.fn<ChartZoom['into']>()
      const back = vi.fn<() => void>()
      const { container } = render(chart([age([4, 5, 6])], SPANS, { into, back }))
      const isPicking = () => container.querySelector('.crosshair-range') !== null
      return { into, back, isPicking, slider: screen.getByRole('slider') }
    }

    it('uses a dragged range, even from right to left, but not a click', () => {
      const { into, slider, isPicking } = zoomed()
      fireEvent.pointerDown(slider, { clientX: 500, button: 0 })
      fireEvent.pointerMove(slider, { clientX: 503, buttons: 1 })
      expect(isPicking()).toBe(false)
      fireEvent.pointerUp(slider)
      expect(into).not.toHaveBeenCalled()
      fireEvent.pointerDown(slider, { clientX: 500, button: 0 })
      fireEvent.pointerMove(slider, { clientX: 300, buttons: 1 })
      expect(isPicking()).toBe(true)
      fireEvent.pointerUp(slider)
      expect(into).toHaveBeenCalledOnce()
      const [fromMs = 0, toMs = 0] = into.mock.calls[0] ?? []
      const plotWidthPx = Number.parseFloat(slider.style.width)
      expect(toMs - fromMs).toBeCloseTo((200 / plotWidthPx) * (TO_MS - FROM_MS), 3)
      expect(isPicking()).toBe(false)
    })

    it('ignores touch drags, which scroll the page', () => {
      const { into, slider, isPicking } = zoomed()
      fireEvent.pointerDown(slider, { clientX: 300, button: 0, pointerType: 'touch' })
      fireEvent.pointerMove(slider, { clientX: 600, buttons: 1, pointerType: 'touch' })
      expect(isPicking()).toBe(false)
      fireEvent.pointerUp(slider)
      expect(into).not.toHaveBeenCalled()
    })

    it('works by keyboard: Shift+arrow selects, Enter zooms, Escape cancels or goes back', () => {
      const { into, back, slider, isPicking } = zoomed()
      const press = (key: string, shiftKey = false) => fireEvent.keyDown(slider, { key, shiftKey })
      press('Home')
      press('ArrowRight', true)
      press('ArrowRight', true)
      expect(isPicking()).toBe(true)
      press('Enter')
      expect(into).toHaveBeenCalledExactlyOnceWith(FROM_MS, FROM_MS + 2 * MINUTE)
      press('ArrowRight', true)
      press('Escape')
      expect(isPicking()).toBe(false)
      expect(back).not.toHaveBeenCalled()
      press('Escape')
      expect(back).toHaveBeenCalledOnce()
      fireEvent.doubleClick(slider)
      expect(back).toHaveBeenCalledTimes(2)
    })
  })

  it('shows the same data as a table, newest first, with gaps and events', async () => {
    render(chart([age([4, 5, Number.NaN]), proof]))
    expect(screen.queryByRole('grid')).toBeNull()
    await userEvent.click(screen.getByText('Show as table'))
    const grid = await screen.findByRole('grid', { name: 'History' })
    const rows = within(grid)
      .getAllByRole('row')
      .map((row) => Array.from(row.children, (cell) => cell.textContent).join('|'))
    expect(rows).toEqual([
      'Time|Age|Proof|State',
      '14:05:00|||asleep 5 min',
      '14:03:00|||HTTP 503',
      '14:02:00||changed|',
      '14:01:00|5 s||Stake changed',
      '14:00:00|4 s||',
    ])
  })

  it('lists a gap that began before the range at the start of the range', async () => {
    const span = {
      fromMs: FROM_MS - MINUTE,
      toMs: FROM_MS + MINUTE,
      kind: 'no-answer',
      label: 'HTTP 503',
    } as const
    render(chart([age([Number.NaN, Number.NaN, 4])], [span], undefined, []))
    await userEvent.click(screen.getByText('Show as table'))
    const grid = await screen.findByRole('grid', { name: 'History' })
    expect(within(grid).getByText('HTTP 503').closest('[role=row]')?.textContent).toContain('14:00:00')
  })

  it('states the usual ranges that it draws in text above the table', async () => {
    const row: ChartRow = { ...age([4, 5]), usual: [3, 9] }
    render(chart([row, proof]))
    expect(screen.getByText('usual')).toBeDefined()
    expect(screen.queryByText('Age usually 3 s to 9 s')).toBeNull()
    await userEvent.click(screen.getByText('Show as table'))
    expect(screen.getByText('Age usually 3 s to 9 s')).toBeDefined()
  })

  it('stops the crosshair at events, and shows them even if no value is known', async () => {
    const mark = { atMs: FROM_MS + 4 * MINUTE, label: 'Note: swapped the disk', isPinned: true }
    const { container } = render(chart([age([4, 5, 6])], SPANS, undefined, [mark]))
    await userEvent.tab()
    await userEvent.keyboard('{End}')
    expect(readout()).toBe('14:04:00: Age HTTP 503, Note: swapped the disk')
    expect(container.querySelectorAll('.plot-mark + .plot-now')).toHaveLength(1)
    await userEvent.click(screen.getByText('Show as table'))
    expect(screen.getByText('Note: swapped the disk', { selector: '[role=gridcell], td' })).toBeDefined()
  })

  it.each([
    { old: false, pointers: 1, coloured: 1 },
    { old: true, pointers: 0, coloured: 0 },
  ])('marks the last value and colours its limit only while it is current (old: $old)', (of) => {
    const { container } = render(chart([{ ...age([4, 70]), old: of.old }]))
    expect(container.querySelectorAll('path.plot-now')).toHaveLength(of.pointers)
    expect(container.querySelectorAll('.plot-label.hi.warning')).toHaveLength(of.coloured)
  })

  it('shows only drawn items in the legend', () => {
    render(chart([age([4])], SPANS.slice(0, 2)))
    expect(screen.getByText('asked, no answer')).toBeDefined()
    expect(screen.queryByText('not watched')).toBeNull()
    expect(screen.queryByText('usual')).toBeNull()
  })

  it.each([FROM_MS, FROM_MS - MINUTE])('draws no invalid path if the range ends at %d', (toMs) => {
    const { container } = render(chart([age([4])], SPANS, undefined, [], toMs))
    expect(container.querySelector('.strip-chart-plots')?.innerHTML).not.toMatch(/NaN|Infinity/)
  })

  it.each([
    { name: 'nothing at all', values: [] },
    { name: 'one point', values: [7] },
    { name: 'only gaps', values: [Number.NaN, Number.NaN] },
    { name: 'the smallest double', values: [5e-324, 5e-324] },
    { name: 'the largest doubles', values: [1e308, -1e308] },
    { name: 'infinities', values: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 4] },
    { name: 'beyond whole numbers', values: [Number.MAX_SAFE_INTEGER + 1, Number.MAX_SAFE_INTEGER + 3] },
    { name: 'negative zero', values: [-0, 0] },
  ])('draws and reads $name without an error, a warning or a broken path', async ({ values }) => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const kinds = ['line', 'area', 'steps'] as const
    const rows = kinds.map((kind): ChartRow => ({ ...age(values), id: kind, kind, points: points(values) }))
    const bars: ChartRow = {
      id: 'bars',
      title: 'Bars',
      value: [],
      kind: 'bars',
      bars: values.map((value, place) => ({
        fromMs: FROM_MS + place * MINUTE,
        toMs: FROM_MS + (place + 1) * MINUTE,
        value,
      })),
      format: String,
    }
    const { container } = render(chart([...rows, bars]))
    await userEvent.tab()
    await userEvent.keyboard('{Home}{ArrowRight}{End}')
    const drawn = container.querySelector('.strip-chart-plots')?.innerHTML ?? ''
    expect(drawn).toContain('<svg')
    expect(drawn).not.toMatch(/NaN|Infinity|e\+\d/)
    expect([errors.mock.calls, warnings.mock.calls]).toEqual([[], []])
  })
})
