import { describe, expect } from 'vitest'
import { faultRows, type Row } from './fault-rows.ts'

const HOUR_MS = 3_600_000

/** Heartbeats arrive every 15 s, so an age without clock correction would be larger, or negative. */
const agesAreRight = ({ page }: Row): void => {
  expect(page.isLive()).toBe(true)
  expect(page.hero()).toMatch(/(?<!\d)1?\d s ago/)
}

describe('a signature that does not reach the service', () => {
  faultRows().row(33, { of: 'header dropped by a proxy', meetsAll: true }, async ({ setAll, told, old }) => {
    await setAll('strip-authorization')
    const said = await told(/The signature does not reach Test service/)
    expect(said).toMatch(/Signature rejected \(401\)/)
    expect(said).toContain('An unsigned request gets the same answer.')
    await old()
  })
})

/** Each test has its own world, because the engine rarely repeats its diagnosis of a service. */
describe('a service whose clock differs', () => {
  const LEFT = { leaves: 'data/clock' }

  faultRows().row(76, { of: '45 s ahead', ...LEFT }, async (given) => {
    await given.setAll('clock-offset', 45_000)
    expect(await given.told('data/clock')).toMatch(/The clock of Test service is 4[456] s fast/)
    await given.polls(2)
    agesAreRight(given)
  })

  faultRows().row(76, { of: 'outside the validity of signatures', ...LEFT }, async (given) => {
    await given.setAll('clock-offset', 73_000)
    expect(await given.told(/The clock of Test service is 7[234] s fast/)).toMatch(
      /Measured to ± \d\.\d\d s from the Date header in answers from Test service/,
    )
    await given.polls(2)
    agesAreRight(given)
  })

  for (const [of, byMs, words] of [
    ['an hour ahead', HOUR_MS, /The clock of Test service is 1 h 00 m fast/],
    ['an hour behind', -HOUR_MS, /The clock of Test service is (1 h 00 m|59 m 5\d s) slow/],
  ] as const)
    faultRows().row(76, { of, meetsAll: true, ...LEFT }, async (given) => {
      await given.setAll('clock-offset', byMs)
      await given.told(words)
      // With such a difference the engine signs with the service’s time only if the operator allows it.
      await given.polls(2)
      expect(given.page.isLive()).toBe(false)
    })
})
