import * as v from 'valibot'
import { bytesToHex } from '#base/bytes.ts'
import { storedList } from '#base/stored.ts'
import { baseUrlOf, serviceIdOf, type ServiceId } from '#record/service.ts'
import { PROFILE_TRIES } from './profile-tries.ts'
import type { Profile } from './profile.ts'
import { hashOf } from './signing-values.ts'

export type GrantedService = { readonly baseUrl: string; readonly profile: string | Profile }

/** The operator's permission for a key to sign for a service; stored with the key. */
export type SigningGrant = {
  readonly serviceId: ServiceId
  /** Accepted profiles by `profileHash`; presets need no acceptance. */
  readonly profiles: readonly string[]
}

/** The profile in use, one that is being tried, and a few to go back to. */
const PROFILES_MAX = 4

/** The maximum number of configured services, plus some earlier ones. */
const GRANTS_MAX = 64

/** Hash of a profile together with its service; undefined for a preset. */
export function profileHash({ baseUrl, profile }: GrantedService): string | undefined {
  if (typeof profile === 'string' || isBuiltIn(profile)) return undefined
  return bytesToHex(hashOf('sha-256', new TextEncoder().encode(JSON.stringify([baseUrl, profile]))))
}

const isBuiltIn = (profile: Profile): boolean => {
  const text = JSON.stringify(profile)
  return PROFILE_TRIES.some((one) => JSON.stringify(one.profile) === text)
}

export const grantFor = (
  grants: readonly SigningGrant[] | undefined,
  serviceId: ServiceId,
): SigningGrant | undefined => grants?.find((grant) => grant.serviceId === serviceId)

export function isGranted(grants: readonly SigningGrant[] | undefined, service: GrantedService): boolean {
  const grant = grantFor(grants, serviceIdOf(service.baseUrl))
  const hash = profileHash(service)
  return grant !== undefined && (hash === undefined || grant.profiles.includes(hash))
}

export function withGrant(
  grants: readonly SigningGrant[] = [],
  service: GrantedService,
): readonly SigningGrant[] {
  const serviceId = serviceIdOf(service.baseUrl)
  const hash = profileHash(service)
  const before = grantFor(grants, serviceId)?.profiles ?? []
  const profiles = hash === undefined ? before : [...before.filter((one) => one !== hash), hash]
  return [
    ...grants.filter((grant) => grant.serviceId !== serviceId),
    { serviceId, profiles: profiles.slice(-PROFILES_MAX) },
  ].slice(-GRANTS_MAX)
}

const Grants = storedList(
  v.object({ serviceId: v.string(), profiles: v.pipe(v.array(v.unknown()), storedList(v.string())) }),
)

/** Reads untrusted grants. Invalid ones are left out, so the key signs for fewer services. */
export const grantsOf = (value: unknown): readonly SigningGrant[] =>
  v.parse(Grants, value).flatMap(({ serviceId, profiles }) => {
    const baseUrl = baseUrlOf(serviceId)
    return baseUrl === undefined ? [] : [{ serviceId: serviceIdOf(baseUrl), profiles }]
  })

export const commonGrants = (
  grants: readonly SigningGrant[],
  others: readonly SigningGrant[] = [],
): readonly SigningGrant[] =>
  grants.flatMap(({ serviceId, profiles }) => {
    const other = grantFor(others, serviceId)
    return other === undefined
      ? []
      : [{ serviceId, profiles: profiles.filter((hash) => other.profiles.includes(hash)) }]
  })
