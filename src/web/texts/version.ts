/** A test compares this version with package.json, so no build step has to insert it. */
export const VERSION = '0.1.0'
