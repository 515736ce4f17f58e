/** Reads a configuration of any version, with any profiles. A file of its own, since the page fetches it only then. */
export { parseServerConfig as readAnyServerConfig } from './settings.ts'
