import type { Profile } from './profile.ts'

export const usesToken = ({ message }: Profile): boolean =>
  message.kind === 'none' && message.token !== undefined

/** Placeholders, and braces that stand for themselves. Less than reading a template whole: every page with a first status asks. */
const PLACEHOLDERS = /\{\{|\{([^}]*)\}/g
const OF_KEY = /^(key|kid)(\.|$)/

/** Whether a key is needed: to sign, or because a header says which one it is. */
export const usesKey = ({ message, headers }: Profile): boolean =>
  message.kind !== 'none' ||
  Object.values(headers).some((template) =>
    Array.from(template.matchAll(PLACEHOLDERS)).some(([, name = '']) => OF_KEY.test(name)),
  )

/** The same for a service; each built-in profile signs. */
export const needsKey = ({ profile }: { readonly profile: string | Profile }): boolean =>
  typeof profile === 'string' || usesKey(profile)

export const needsToken = ({ profile }: { readonly profile: string | Profile }): boolean =>
  typeof profile !== 'string' && usesToken(profile)

/** Whether the dashboard's server signs what is sent through it, so that nothing sent there goes without a signature. */
export const isSignedByServer = ({ profile }: { readonly profile: string | Profile }): boolean =>
  typeof profile !== 'string' &&
  profile.message.kind === 'none' &&
  profile.message.signer === 'dashboard-server'

/** What a service's requests are let in by; `server`: the key of the dashboard's server; `none`: nothing that this page knows of. */
export type Credential = 'key' | 'token' | 'server' | 'none'

export const credentialOf = (service: { readonly profile: string | Profile }): Credential => {
  if (needsToken(service)) return 'token'
  if (isSignedByServer(service)) return 'server'
  return needsKey(service) ? 'key' : 'none'
}
