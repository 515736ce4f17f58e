import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'

/** Paths of all pages. The URL holds the view, so that it can be bookmarked and shared; it never holds a key. */
export const NODES_PATH = '/nodes'
export const ALARMS_PATH = '/alarms'
export const ALARM_RULES_PATH = '/alarms/rules'
export const JOURNAL_PATH = '/journal'
export const SETTINGS_PATH = '/settings'
export const ABOUT_PATH = '/about'
export const WALL_PATH = '/wall'
export const COMPARE_PATH = '/compare'
export const REPORT_PATH = '/report'

/** A page of the dashboard's own server, outside the app. */
export const SIGN_IN_PATH = './login?from=dashboard'

export const nodePath = (key: NodeKey): string => `${NODES_PATH}/${key}`

/** Undefined if the path is not a node page. */
export function nodeOfPath(path: string): NodeKey | undefined {
  const [, key] = /^\/nodes\/([^/]+)\/?$/i.exec(path) ?? []
  return key === undefined ? undefined : nodeKeyFromText(key)
}

export const hrefOf = (path: string): string => `#${path}`

export const tagPath = (tag: string): string => `${NODES_PATH}?tag=${encodeURIComponent(tag)}`

export const KEY_PATH = `${SETTINGS_PATH}/key`

export const NEW_SERVICE_PATH = `${SETTINGS_PATH}/services?add`

export const signingPath = (baseUrl: string): string =>
  `${SETTINGS_PATH}/signing?for=${encodeURIComponent(baseUrl)}`

/** The settings of one scope; `key` is its `ruleKey`. */
export const scopePath = (key: string): string => `${SETTINGS_PATH}/units?for=${encodeURIComponent(key)}`
