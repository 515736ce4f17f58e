/** The folder below which a page and its Workers are: '' at a host's root, or such as "/immune". */
export const folderOf = (pathname: string): string => pathname.replace(/\/(?:(?:assets|src)\/.*|[^/]*)$/, '')

// Outside a browser there is no address.
const FOLDER = 'location' in globalThis ? folderOf(location.pathname) : ''
const ORIGIN = 'location' in globalThis ? location.origin : ''

/** Where this dashboard is, without a slash at the end: "https://host" or "https://host/immune". */
export const SITE = `${ORIGIN}${FOLDER}`

/**
 * The name of something that the browser keeps by origin: storage, locks, channels. Several dashboards below paths of one
 * host have an origin in common, and each its own names.
 */
export const siteName = (name: string): string => (FOLDER === '' ? name : `${FOLDER}:${name}`)
