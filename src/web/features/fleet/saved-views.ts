import { folded } from '#base/read-text.ts'
import { NODES_PATH } from '#react/routes.ts'
import type { SavedView } from '#settings/schema.ts'
import { paramsOf, type FleetView } from './view.ts'

/** What stands behind the "?" of the address of this view; empty: the usual one. */
export const queryOf = (view: FleetView): string => new URLSearchParams(paramsOf(view)).toString()

export const pathOfView = ({ query }: Pick<SavedView, 'query'>): string =>
  query === '' ? NODES_PATH : `${NODES_PATH}?${query}`

const sameName = (one: string, other: string): boolean => folded(one.trim()) === folded(other.trim())

/** Puts a view under its name in the place of the one that has it, or at the end. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const place = views.findIndex(({ name }) => sameName(name, view.name))
  return place === -1 ? [...views, view] : views.with(place, view)
}

export const viewNamed = (views: readonly SavedView[], name: string): SavedView | undefined =>
  views.find((view) => sameName(view.name, name))
