/** The version of this product; a test holds it against package.json, so that no build step has to put it here. */
export const VERSION = '0.1.0'
