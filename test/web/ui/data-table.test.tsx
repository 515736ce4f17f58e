import { act, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type DataColumn, DataTable } from '#ui/data-table.tsx'
import { Tag } from '#ui/chip.tsx'
import { giveLayout } from '#test/support/jsdom-layout.ts'

beforeAll(giveLayout)

type Row = { readonly id: string; readonly age: number }

const COLUMNS: readonly DataColumn<Row>[] = [
  { id: 'id', header: 'Node', track: '1fr', cell: (row) => row.id },
  { id: 'age', header: 'Age', track: '5rem', narrowTrack: null, end: true, cell: (row) => `${row.age} s` },
]
const rowsOf = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, place) => ({ id: `node-${place}`, age: place }))

const table = (rows: readonly Row[], columns = COLUMNS, onOpen?: (row: Row) => void) => (
  <DataTable
    label="Nodes"
    columns={columns}
    rows={rows}
    rowKey={(row) => row.id}
    rowLevel={(row) => (row.age === 1 ? 'critical' : undefined)}
    {...(onOpen && { onOpen })}
    empty="No node yet"
  />
)
const focusedRow = () => document.activeElement?.getAttribute('aria-rowindex')

describe('DataTable', () => {
  it('reports its full size, but renders only the rows in view', () => {
    render(table(rowsOf(5_000)))
    const grid = screen.getByRole('grid', { name: 'Nodes' })
    expect(grid.getAttribute('aria-rowcount')).toBe('5001')
    const rows = within(grid).getAllByRole('row')
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.length).toBeLessThan(60)
    expect(rows.map((row) => row.getAttribute('aria-rowindex'))).toEqual(
      rows.map((_, place) => `${place + 1}`),
    )
  })

  it('gives a column that is hidden on a narrow screen no track there', () => {
    render(table(rowsOf(1)))
    const { style } = screen.getByRole('grid', { name: 'Nodes' })
    expect(style.getPropertyValue('--tracks-narrow')).toBe('1fr')
  })

  it('has one row in the tab order, which arrow keys, Home, End and PageUp move', async () => {
    render(table(rowsOf(8)))
    await userEvent.tab()
    expect(focusedRow()).toBe('2')
    for (const [key, row] of [
      ['{ArrowUp}', '2'],
      ['{ArrowDown}', '3'],
      ['{End}', '9'],
      ['{ArrowDown}', '9'],
      ['{PageUp}', '2'],
      ['{Home}', '2'],
      ['{Control>}{End}{/Control}', '2'],
    ] as const) {
      await userEvent.keyboard(key)
      expect([key, focusedRow()]).toEqual([key, row])
    }
    expect(screen.getAllByRole('row').filter((row) => row.tabIndex === 0)).toHaveLength(1)
  })

  it('moves focus through a row’s links with Right and Left, and Enter does not open the row', async () => {
    const onOpen = vi.fn<(row: Row) => void>()
    const linked: readonly DataColumn<Row>[] = [
      {
        id: 'id',
        header: 'Node',
        track: '1fr',
        cell: (row) => (
          <>
            {row.id} <Tag tag="eu" href="#eu" inRow /> <Tag tag="rack-3" href="#rack-3" inRow />
          </>
        ),
      },
    ]
    render(table(rowsOf(2), linked, onOpen))
    await userEvent.tab()
    const focused = async (key: string): Promise<string | null | undefined> => {
      await userEvent.keyboard(key)
      return document.activeElement?.textContent
    }
    expect(await focused('{ArrowRight}')).toBe('eu')
    expect(await focused('{ArrowRight}')).toBe('rack-3')
    expect(await focused('{ArrowRight}')).toBe('rack-3')
    expect(await focused('{Enter}')).toBe('rack-3')
    expect(onOpen).not.toHaveBeenCalled()
    expect(await focused('{ArrowLeft}')).toBe('eu')
    expect(await focused('{ArrowLeft}')).toContain('node-0')
  })

  it('keeps one row in the tab order when it shrinks, the last one if the end is gone', async () => {
    const { rerender } = render(table(rowsOf(8)))
    await userEvent.tab()
    await userEvent.keyboard('{End}')
    rerender(table(rowsOf(3)))
    const stops = screen.getAllByRole('row').filter((row) => row.tabIndex === 0)
    expect(stops.map((row) => row.getAttribute('aria-rowindex'))).toEqual(['4'])
  })

  it('keeps the focused row, but no other, rendered however far the user scrolls', async () => {
    render(table(rowsOf(5_000)))
    const grid = screen.getByRole('grid', { name: 'Nodes' })
    await userEvent.tab()
    await userEvent.keyboard('{ArrowDown}')
    expect(focusedRow()).toBe('3')
    act(() => {
      grid.scrollTop = 90_000
      fireEvent.scroll(grid)
    })
    const places = within(grid)
      .getAllByRole('row')
      .map((row) => Number(row.getAttribute('aria-rowindex')))
    expect(focusedRow()).toBe('3')
    expect(places.slice(0, 2)).toEqual([1, 3])
    expect(places[2]).toBeGreaterThan(1_000)
    await userEvent.keyboard('{ArrowDown}')
    expect(focusedRow()).toBe('4')
  })

  it('keeps focus on the same row when the order changes, even out of view', async () => {
    const rows = rowsOf(5_000)
    const { rerender } = render(table(rows))
    await userEvent.tab()
    rerender(table(rows.toReversed()))
    expect(document.activeElement?.textContent).toContain('node-0')
    expect(focusedRow()).toBe('5001')
    await userEvent.keyboard('{ArrowUp}')
    expect(focusedRow()).toBe('5000')
  })
})
