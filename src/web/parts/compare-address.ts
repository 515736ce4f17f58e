import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'
import { COMPARE_PATH } from '#react/routes.ts'

export const COMPARE_MIN = 2
/** More lines in one picture can't be told apart. */
export const COMPARE_MAX = 6

/** No key holds one. */
const SEPARATOR = ','
const PARAM = 'nodes'

/** Where these are side by side. */
export const comparePath = (keys: readonly NodeKey[]): string =>
  keys.length === 0 ? COMPARE_PATH : `${COMPARE_PATH}?${PARAM}=${keys.join(SEPARATOR)}`

/** The part of an address that names nodes. */
export const nodesText = (params: URLSearchParams): string => params.get(PARAM) ?? ''

/** Every node that it names, each once, watched or not. */
export const nodesIn = (text: string): readonly NodeKey[] =>
  Array.from(new Set(text.split(SEPARATOR).filter((each) => each !== ''))).map(nodeKeyFromText)

/** The address with these nodes in it, everything else as it was. */
export function withNodes(params: URLSearchParams, keys: readonly NodeKey[]): URLSearchParams {
  const next = new URLSearchParams(params)
  next.set(PARAM, keys.join(SEPARATOR))
  return next
}
