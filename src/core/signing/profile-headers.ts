/** Fetch drops these in silence, whatever a page asks for: https://fetch.spec.whatwg.org/#forbidden-request-header. */
const FORBIDDEN =
  /^(accept-charset|accept-encoding|access-control-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|via|x-http-method(-override)?|x-method-override)$/i

export const isForbiddenHeader = (name: string): boolean => FORBIDDEN.test(name)

/** What all headers of a profile may take, names and values. Servers refuse more than 8 to 16 KiB in all. */
export const HEADER_BYTES_MAX = 4_096

/** Sent across origins without a preflight; every other header is asked for first. */
const SIMPLE = /^(accept|accept-language|content-language|content-type)$/i

/** Whether a service on another origin has to list this header in Access-Control-Allow-Headers. */
export const needsPreflight = (name: string): boolean => !SIMPLE.test(name)
