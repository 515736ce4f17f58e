import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'

/** Every page's path, as the router sees it. The address holds the view, so that it can be kept and shared; it never holds a key. */
export const NODES_PATH = '/nodes'
export const ALARMS_PATH = '/alarms'
export const ALARM_RULES_PATH = '/alarms/rules'
export const JOURNAL_PATH = '/journal'
export const SETTINGS_PATH = '/settings'
export const ABOUT_PATH = '/about'
export const WALL_PATH = '/wall'
export const COMPARE_PATH = '/compare'
export const REPORT_PATH = '/report'

/** A page of the dashboard's own server, no view of the app. */
export const SIGN_IN_PATH = './login?from=dashboard'

export const nodePath = (key: NodeKey): string => `${NODES_PATH}/${key}`

/** Undefined where it is no node's page. */
export function nodeOfPath(path: string): NodeKey | undefined {
  const [, key] = /^\/nodes\/([^/]+)\/?$/i.exec(path) ?? []
  return key === undefined ? undefined : nodeKeyFromText(key)
}

/** A path as the address of a link. */
export const hrefOf = (path: string): string => `#${path}`

/** The table, narrowed to the nodes with a tag. */
export const tagPath = (tag: string): string => `${NODES_PATH}?tag=${encodeURIComponent(tag)}`

/** Which keys there are, and the ways to another one. */
export const KEY_PATH = `${SETTINGS_PATH}/key`

/** The services, with the form for another one open. */
export const NEW_SERVICE_PATH = `${SETTINGS_PATH}/services?add`

/** How requests to one service are signed, by its base URL. */
export const signingPath = (baseUrl: string): string =>
  `${SETTINGS_PATH}/signing?for=${encodeURIComponent(baseUrl)}`

/** What is set for one scope: `key` is its `ruleKey`. */
export const scopePath = (key: string): string => `${SETTINGS_PATH}/units?for=${encodeURIComponent(key)}`
