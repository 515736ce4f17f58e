import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'
import { PATHS } from '#react/routes.ts'

export const COMPARE_MIN = 2
/** More lines in one chart are hard to tell apart. */
export const COMPARE_MAX = 6

/** A character that no node key contains. */
const SEPARATOR = ','
const PARAM = 'nodes'

export const comparePath = (keys: readonly NodeKey[]): string =>
  keys.length === 0 ? PATHS.compare : `${PATHS.compare}?${PARAM}=${keys.join(SEPARATOR)}`

export const nodesText = (params: URLSearchParams): string => params.get(PARAM) ?? ''

export const nodesIn = (text: string): readonly NodeKey[] =>
  Array.from(new Set(text.split(SEPARATOR).filter((each) => each !== ''))).map(nodeKeyFromText)

export function withNodes(params: URLSearchParams, keys: readonly NodeKey[]): URLSearchParams {
  const next = new URLSearchParams(params)
  next.set(PARAM, keys.join(SEPARATOR))
  return next
}
