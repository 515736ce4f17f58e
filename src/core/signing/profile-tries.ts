import { HOUR_MS } from '#base/time.ts'
import type { PresetId } from './preset-ids.ts'
import { BUILT_IN, TOKEN, type Preset } from './presets.ts'
import type { Profile } from './profile.ts'

type ProfileTry = Pick<Preset, 'profile'> & { readonly id: string }

/** Minimum time between two rounds. */
export const ROUND_EVERY_MS = HOUR_MS

/** Minimum time between two attempts. */
export const TRY_EVERY_MS = 1_000

const preset = (id: PresetId): ProfileTry => ({ id, profile: BUILT_IN[id].profile })

const variant = (id: string, title: string, profile: Omit<Profile, 'v' | 'title'>): ProfileTry => ({
  id,
  profile: { v: 1, title, ...profile },
})

const bearer = BUILT_IN['bearer-v1'].profile.message

/**
 * The profiles that a round tries, strongest first, so that the signatures a service receives before it accepts one are the
 * least useful to others.
 */
export const PROFILE_TRIES: readonly ProfileTry[] = [
  preset('bearer-v1'),
  variant('bearer-v1-base64', 'All signed, signature in base64', {
    validitySeconds: 60,
    message: bearer,
    headers: {
      Authorization: 'Bearer {sig.base64}',
      'X-Node-Key': '{key.base64}',
      'X-Node-Timestamp': '{ts.s}',
      'X-Node-Nonce': '{nonce.base64url}',
    },
  }),
  preset('rfc9421'),
  preset('jwt-eddsa'),
  variant('jwt-ed25519', 'JSON Web Token, algorithm named Ed25519', {
    validitySeconds: 60,
    message: { ...TOKEN, alg: 'Ed25519' },
    headers: { Authorization: 'Bearer {jwt}' },
  }),
  preset('bearer-window'),
  variant('method-path-time', 'Method, path and time', {
    message: { kind: 'template', template: '{method} {target}\n{ts.s}' },
    headers: {
      Authorization: 'Bearer {sig.base64}',
      'X-Public-Key': '{key.hex}',
      'X-Timestamp': '{ts.s}',
    },
  }),
  variant('ms-method-path', 'Milliseconds, method and path concatenated', {
    message: { kind: 'template', template: '{ts.ms}{method}{target}' },
    headers: {
      Authorization: 'Bearer {sig.base64url}',
      'X-Public-Key': '{key.hex}',
      'X-Timestamp': '{ts.ms}',
    },
  }),
  preset('wallet-timestamp'),
  preset('timestamp-only'),
  preset('bearer-node-id'),
  variant('node-id-base64', 'Node id only, in base64: a permanent password', {
    message: { kind: 'template', template: '{param.node_id}' },
    headers: { Authorization: 'Bearer {sig.base64}', 'X-Public-Key': '{key.hex}' },
  }),
]
