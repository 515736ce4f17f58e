import { filterFromText, type Filter } from './order.ts'

export const DENSITIES = ['normal', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

export const LAYOUTS = ['table', 'grid'] as const
export type Layout = (typeof LAYOUTS)[number]

/** Nodes that need attention stay on top of this order. */
export type Sort = { readonly column: string; readonly descending: boolean }

/** `rem` is the width; absent: automatic. */
export type ShownColumn = { readonly id: string; readonly rem?: number }

/** State of the nodes page, all of it held in the URL, so that a link reproduces it. */
export type FleetView = {
  readonly condition: Filter
  readonly tag: string | undefined
  /** In the filter language; empty: all. */
  readonly q: string
  readonly sort: Sort | undefined
  /** "tag", "service" or the id of a state metric; undefined: not grouped. */
  readonly group: string | undefined
  /** In display order; undefined: as many default columns as fit. */
  readonly columns: readonly ShownColumn[] | undefined
  readonly density: Density
  readonly layout: Layout
}

export const COLUMNS_MAX = 40
export const COLUMN_REM = { min: 3, max: 60 } as const
export const QUERY_CHARS_MAX = 1_000
const ID = /^[A-Za-z][\w-]{0,39}$/

/** Ignores parts that are invalid, because any link may lead here. */
export function viewFrom(params: URLSearchParams): FleetView {
  const layout = params.get('layout')
  const density = params.get('density')
  return {
    condition: filterFromText(params.get('condition')),
    tag: params.get('tag') ?? undefined,
    q: (params.get('q') ?? '').slice(0, QUERY_CHARS_MAX),
    sort: sortFrom(params.get('sort') ?? ''),
    group: idIn(params.get('group') ?? ''),
    columns: columnsFrom(params.get('columns')),
    density: DENSITIES.find((each) => each === density) ?? 'normal',
    layout: LAYOUTS.find((each) => each === layout) ?? 'table',
  }
}

export function paramsOf(view: FleetView): Record<string, string> {
  const { condition, tag, q, sort, group, columns, density, layout } = view
  return {
    ...(condition !== 'all' && { condition }),
    ...(tag !== undefined && { tag }),
    ...(q !== '' && { q }),
    ...(sort && { sort: `${sort.descending ? '-' : ''}${sort.column}` }),
    ...(group !== undefined && { group }),
    ...(columns && {
      columns: columns.map(({ id, rem }) => (rem === undefined ? id : `${id}:${rem}`)).join(','),
    }),
    ...(density !== 'normal' && { density }),
    ...(layout !== 'table' && { layout }),
  }
}

const idIn = (text: string): string | undefined => (ID.test(text) ? text : undefined)

function sortFrom(text: string): Sort | undefined {
  const column = idIn(text.replace(/^-/, ''))
  return column === undefined ? undefined : { column, descending: text.startsWith('-') }
}

function columnsFrom(text: string | null): readonly ShownColumn[] | undefined {
  if (text === null) return undefined
  const columns = new Map<string, ShownColumn>()
  for (const part of text.split(',', COLUMNS_MAX)) {
    const [id = '', width] = part.split(':')
    if (idIn(id) !== undefined && !columns.has(id)) columns.set(id, withRem(id, Number(width)))
  }
  return columns.size === 0 ? undefined : Array.from(columns.values())
}

export const withRem = (id: string, rem: number): ShownColumn =>
  Number.isFinite(rem)
    ? { id, rem: Math.round(10 * Math.min(COLUMN_REM.max, Math.max(COLUMN_REM.min, rem))) / 10 }
    : { id }
