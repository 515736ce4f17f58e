import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import { PRESETS } from '#signing/presets.ts'
import {
  commonGrants,
  grantFor,
  grantsOf,
  isGranted,
  profileHash,
  withGrant,
  type SigningGrant,
} from '#signing/signing-grant.ts'
import type { Profile } from '#signing/profile.ts'

const A = 'https://a.example'
const B = 'https://b.example'
const preset = PRESETS.get('bearer-v1')?.profile
if (preset === undefined) throw new Error('no such preset')
const own = (title: string): Profile => ({ ...preset, title })
const at = (baseUrl: string, profile: string | Profile = 'bearer-v1') => ({ baseUrl, profile })
const hashOf = (baseUrl: string, profile: Profile): string =>
  createHash('sha256')
    .update(JSON.stringify([baseUrl, profile]))
    .digest('hex')
const grant = (baseUrl: string, ...profiles: readonly string[]): SigningGrant => ({
  serviceId: serviceIdOf(baseUrl),
  profiles,
})

it('a profile’s hash covers its content and its service, and a preset has none', () => {
  expect(profileHash(at(A, own('mine')))).toBe(hashOf(A, own('mine')))
  expect(profileHash(at(A, own('mine')))).not.toBe(profileHash(at(B, own('mine'))))
  expect(profileHash(at(A, own('mine')))).not.toBe(profileHash(at(A, own('other'))))
  expect(profileHash(at(A))).toBeUndefined()
  // Even if its document is written out.
  expect(profileHash(at(A, preset))).toBeUndefined()
})

describe('a key may sign', () => {
  it('only for a service that was granted', () => {
    expect(isGranted(undefined, at(A))).toBe(false)
    expect(isGranted([], at(A))).toBe(false)
    expect(isGranted([grant(B)], at(A))).toBe(false)
    expect(isGranted([grant(B), grant(A)], at(A))).toBe(true)
  })

  it('with a custom profile only after that was accepted for the service', () => {
    const mine = own('mine')
    expect(isGranted([grant(A)], at(A, mine))).toBe(false)
    expect(isGranted([grant(A, hashOf(A, mine))], at(A, mine))).toBe(true)
    expect(isGranted([grant(A, hashOf(A, mine))], at(A, own('changed')))).toBe(false)
    expect(isGranted([grant(A, hashOf(A, mine)), grant(B, hashOf(A, mine))], at(B, mine))).toBe(false)
  })
})

describe('the grants of a key', () => {
  it('are added last and without duplicates', () => {
    const mine = own('mine')
    expect(withGrant([], at(A))).toEqual([grant(A)])
    expect(withGrant(undefined, at(A))).toEqual([grant(A)])
    const both = withGrant(withGrant([grant(A, 'x')], at(B)), at(A, mine))
    expect(both).toEqual([grant(B), grant(A, 'x', hashOf(A, mine))])
    expect(withGrant(both, at(A, mine))).toEqual(both)
    expect(withGrant([grant(A, hashOf(A, mine), 'x')], at(A, mine))).toEqual([grant(A, 'x', hashOf(A, mine))])
    expect(grantFor(both, serviceIdOf(B))).toEqual(grant(B))
    expect(grantFor(undefined, serviceIdOf(B))).toBeUndefined()
  })

  it('are limited to 4 profiles per service and 64 services, dropping the oldest', () => {
    const [found] = withGrant([grant(A, '1', '2', '3', '4')], at(A, own('mine')))
    expect(found?.profiles).toEqual(['2', '3', '4', hashOf(A, own('mine'))])
    const many = Array.from({ length: 64 }, (_, place) => grant(`https://s${place}.example`))
    const after = withGrant(many, at(A))
    expect(after).toEqual([...many.slice(1), grant(A)])
  })

  it('of two holders are common if both allow them', () => {
    expect(commonGrants([grant(A, '1', '2'), grant(B)], [grant(A, '2', '3')])).toEqual([grant(A, '2')])
    expect(commonGrants([grant(A)])).toEqual([])
    expect(commonGrants([], [grant(A)])).toEqual([])
  })

  it('are read without invalid grants and hashes', () => {
    const kept = [
      null,
      7,
      { serviceId: serviceIdOf(A) },
      { serviceId: 'not a service', profiles: [] },
      { profiles: [] },
      { serviceId: serviceIdOf(A), profiles: 'ab' },
      { serviceId: serviceIdOf(B), profiles: ['ab', 7, null, 'cd'], more: 1 },
    ]
    expect(grantsOf(kept)).toEqual([grant(B, 'ab', 'cd')])
  })
})
