import * as v from 'valibot'

/** Header names must be RFC 9110 tokens; fetch drops the forbidden ones in silence, so they are refused here. */
const FORBIDDEN_HEADERS =
  /^(accept-charset|accept-encoding|access-control-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|via)$/i

const Template = v.pipe(v.string(), v.maxLength(4_096))

const HeaderName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, 'is not a header name'),
  v.check((name) => !FORBIDDEN_HEADERS.test(name), 'is a header that browsers do not let a page set'),
)

/**
 * How a request is signed, as data: the text that is signed and the headers that carry the
 * signature, both with placeholders. No expressions and no code.
 */
export const ProfileSchema = v.strictObject({
  /** How long a signature is meant to be good for, in seconds; for services that are told. */
  validitySeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(86_400))),
  message: v.strictObject({ kind: v.literal('template'), template: Template }),
  headers: v.pipe(
    v.record(HeaderName, Template),
    v.check((headers) => Object.keys(headers).length <= 8, 'has more than 8 headers'),
  ),
})

export type Profile = v.InferOutput<typeof ProfileSchema>

/**
 * The signing profiles that come with the product, by id. Unspecified by the service: what
 * is signed, the signature's encoding, and how the caller is known. `bearer-v1` keeps to the
 * interface's letter (the Bearer value is the signature alone) and binds method, origin,
 * node, time and a single-use number.
 */
export const PROFILES: Readonly<Record<string, Profile>> = {
  'bearer-v1': {
    validitySeconds: 60,
    message: {
      kind: 'template',
      template:
        'immune-node-auth-v1\n{method}\n{origin}\n{path}\n{sortedQuery}\n{ts.s}\n{nonce.base64url}\n{key.hex}',
    },
    headers: {
      Authorization: 'Bearer {sig.hex}',
      'X-Node-Key': '{key.hex}',
      'X-Node-Timestamp': '{ts.s}',
      'X-Node-Nonce': '{nonce.base64url}',
    },
  },
}
