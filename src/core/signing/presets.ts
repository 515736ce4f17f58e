import type { PresetId } from './preset-ids.ts'
import type { JwtMessage, Profile } from './profile.ts'

export type Preset = {
  readonly profile: Profile & { readonly title: string }
  /** Public description of this way of signing; absent for our own. */
  readonly source?: { readonly name: string; readonly url?: string }
}

/** The token of `jwt-eddsa`. */
export const TOKEN: JwtMessage = {
  kind: 'jwt',
  alg: 'EdDSA',
  header: { typ: 'node-auth+jwt', kid: '{kid}' },
  claims: {
    iss: '{kid}',
    sub: '{param.node_id}',
    aud: '{origin}',
    htm: '{method}',
    htu: '{origin}{path}',
    iat: { number: '{ts.s}' },
    exp: { number: '{exp.s}' },
    jti: '{nonce.base64url}',
  },
}

/**
 * The interface does not specify the signed text, the signature's encoding, or how the caller is identified. `bearer-v1`
 * follows it literally (the Bearer value is the signature alone) and binds method, origin, node, time and a nonce. The others
 * are in use elsewhere; the weak ones are for services that support nothing better.
 */
export const BUILT_IN: Readonly<Record<PresetId, Preset>> = {
  'bearer-v1': {
    profile: {
      v: 1,
      title: 'All signed, single use',
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
  },
  'bearer-window': {
    profile: {
      v: 1,
      title: 'One header, 30 s window',
      timestamp: { floorSeconds: 30 },
      message: {
        kind: 'template',
        template: 'immune-node-auth-v1w\n{method}\n{origin}\n{path}\n{sortedQuery}\n{ts.window}',
      },
      headers: { Authorization: 'Bearer {sig.hex}' },
    },
  },
  'jwt-eddsa': {
    source: { name: 'RFC 8037, CFRG curves in JOSE', url: 'https://www.rfc-editor.org/rfc/rfc8037' },
    profile: {
      v: 1,
      title: 'JSON Web Token',
      validitySeconds: 60,
      message: TOKEN,
      headers: { Authorization: 'Bearer {jwt}' },
    },
  },
  rfc9421: {
    source: { name: 'RFC 9421, HTTP Message Signatures', url: 'https://www.rfc-editor.org/rfc/rfc9421' },
    profile: {
      v: 1,
      title: 'HTTP Message Signatures',
      validitySeconds: 60,
      message: {
        kind: 'rfc9421',
        label: 'sig1',
        components: ['@method', '@authority', '@path', '@query'],
        params: ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'],
        keyid: '{kid}',
        tag: 'immune-node-auth',
      },
      headers: { 'Signature-Input': '{sigInput}', Signature: '{sigHeader}' },
    },
  },
  'wallet-timestamp': {
    source: { name: 'Clawdrop API Reference' },
    profile: {
      v: 1,
      title: 'Node and time, wallet style',
      message: {
        kind: 'template',
        template: '{{"agentId":"{param.node_id}","timestamp":{ts.ms}}}',
      },
      headers: {
        Authorization: 'Bearer {sig.base64}',
        'X-Wallet-Pubkey': '{key.base58}',
        'X-Timestamp': '{ts.ms}',
      },
    },
  },
  'timestamp-only': {
    profile: {
      v: 1,
      title: 'Time only',
      message: { kind: 'template', template: '{ts.s}' },
      headers: { Authorization: 'Bearer {key.hex}:{ts.s}:{sig.base64url}' },
    },
  },
  'bearer-node-id': {
    profile: {
      v: 1,
      title: 'Node id only: a permanent password',
      message: { kind: 'template', template: '{param.node_id}' },
      headers: { Authorization: 'Bearer {sig.hex}' },
    },
  },
}

export const PRESETS: ReadonlyMap<string, Preset> = new Map(Object.entries(BUILT_IN))

export const PROFILES: Readonly<Record<string, Profile>> = Object.fromEntries(
  Array.from(PRESETS, ([id, { profile }]) => [id, profile]),
)

/** The profile document, even if the settings only name a built-in one. */
export const profileOf = ({ profile }: { readonly profile: string | Profile }): Profile | undefined =>
  typeof profile === 'string' ? PROFILES[profile] : profile
