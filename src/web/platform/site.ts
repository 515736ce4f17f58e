/** The path prefix of a page and its Workers: '' at a host's root, or for example "/immune". */
export const folderOf = (pathname: string): string => pathname.replace(/\/(?:(?:assets|src)\/.*|[^/]*)$/, '')

// There is no location outside a browser.
const FOLDER = 'location' in globalThis ? folderOf(location.pathname) : ''
const ORIGIN = 'location' in globalThis ? location.origin : ''

/** The dashboard's URL without a trailing slash: "https://host" or "https://host/immune". */
export const SITE = `${ORIGIN}${FOLDER}`

/**
 * A name for data that browsers store for each origin: storage, locks, channels. Several dashboards under paths of one host
 * share an origin, so each has its own names.
 */
export const siteName = (name: string): string => (FOLDER === '' ? name : `${FOLDER}:${name}`)
