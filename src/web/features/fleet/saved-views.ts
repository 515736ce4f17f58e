import { folded } from '#base/read-text.ts'
import { PATHS } from '#react/routes.ts'
import type { SavedView } from '#settings/schema.ts'
import { paramsOf, type FleetView } from './view.ts'

/** The view's query string without "?"; empty for the default view. */
export const queryOf = (view: FleetView): string => new URLSearchParams(paramsOf(view)).toString()

export const pathOfView = ({ query }: Pick<SavedView, 'query'>): string =>
  query === '' ? PATHS.nodes : `${PATHS.nodes}?${query}`

const sameName = (one: string, other: string): boolean => folded(one.trim()) === folded(other.trim())

export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const place = views.findIndex(({ name }) => sameName(name, view.name))
  return place === -1 ? [...views, view] : views.with(place, view)
}

export const viewNamed = (views: readonly SavedView[], name: string): SavedView | undefined =>
  views.find((view) => sameName(view.name, name))
