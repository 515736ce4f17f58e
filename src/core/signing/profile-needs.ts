import type { Profile } from './profile.ts'

export const usesToken = ({ message }: Profile): boolean =>
  message.kind === 'none' && message.token !== undefined

/**
 * Placeholders and escaped braces. A regular expression instead of the template parser, because every page runs it before its
 * first status.
 */
const PLACEHOLDERS = /\{\{|\{([^}]*)\}/g
const OF_KEY = /^(key|kid)(\.|$)/

/** Whether a key is needed: to sign, or because a header contains the public key. */
export const usesKey = ({ message, headers }: Profile): boolean =>
  message.kind !== 'none' ||
  Object.values(headers).some((template) =>
    Array.from(template.matchAll(PLACEHOLDERS)).some(([, name = '']) => OF_KEY.test(name)),
  )

/** For a service; every preset signs. */
export const needsKey = ({ profile }: { readonly profile: string | Profile }): boolean =>
  typeof profile === 'string' || usesKey(profile)

export const needsToken = ({ profile }: { readonly profile: string | Profile }): boolean =>
  typeof profile !== 'string' && usesToken(profile)

/** Whether the dashboard server signs the requests that are sent through it. */
export const isSignedByServer = ({ profile }: { readonly profile: string | Profile }): boolean =>
  typeof profile !== 'string' &&
  profile.message.kind === 'none' &&
  profile.message.signer === 'dashboard-server'

/** How a service authorizes requests. `server`: the key of the dashboard server. `none`: nothing that this page knows of. */
export type Credential = 'key' | 'token' | 'server' | 'none'

export const credentialOf = (service: { readonly profile: string | Profile }): Credential => {
  if (needsToken(service)) return 'token'
  if (isSignedByServer(service)) return 'server'
  return needsKey(service) ? 'key' : 'none'
}
