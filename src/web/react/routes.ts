import type { NodeKey } from '#monitor/live.ts'

/** Every page's path, as the router sees it. The address holds the view, so that it can be kept and shared; it never holds a key. */
export const NODES_PATH = '/nodes'
export const NODE_PATTERN = '/nodes/:key'
export const SETTINGS_PATH = '/settings'

export const nodePath = (key: NodeKey): string => `${NODES_PATH}/${key}`

/** A path as the address of a link. */
export const hrefOf = (path: string): string => `#${path}`
