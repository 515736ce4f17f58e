import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'

/** Paths of all pages. The URL holds the view, so that it can be bookmarked and shared; it never holds a key. */
export const PATHS = {
  nodes: '/nodes',
  alarms: '/alarms',
  rules: '/alarms/rules',
  journal: '/journal',
  settings: '/settings',
  about: '/about',
  wall: '/wall',
  compare: '/compare',
  report: '/report',
} as const

/** A page of the dashboard's own server, outside the app. */
export const SIGN_IN_PATH = './login?from=dashboard'

export const nodePath = (key: NodeKey): string => `${PATHS.nodes}/${key}`

/** Undefined if the path is not a node page. */
export function nodeOfPath(path: string): NodeKey | undefined {
  const [, key] = /^\/nodes\/([^/]+)\/?$/i.exec(path) ?? []
  return key === undefined ? undefined : nodeKeyFromText(key)
}

export const hrefOf = (path: string): string => `#${path}`

export const tagPath = (tag: string): string => `${PATHS.nodes}?tag=${encodeURIComponent(tag)}`

export const KEY_PATH = `${PATHS.settings}/key`

export const NEW_SERVICE_PATH = `${PATHS.settings}/services?add`

export const signingPath = (baseUrl: string): string =>
  `${PATHS.settings}/signing?for=${encodeURIComponent(baseUrl)}`

/** The settings of one scope; `key` is its `ruleKey`. */
export const scopePath = (key: string): string => `${PATHS.settings}/units?for=${encodeURIComponent(key)}`
