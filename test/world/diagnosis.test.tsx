import { describe, expect } from 'vitest'
import { faultRows, type Row } from './fault-rows.ts'

const HOUR_MS = 3_600_000

/** A heartbeat comes every 15 s, so an age without the correction could not be this small, nor a negative one. */
const agesAreRight = ({ page }: Row): void => {
  expect(page.isLive()).toBe(true)
  expect(page.hero()).toMatch(/(?<!\d)1?\d s ago/)
}

describe('a signature that does not reach the service', () => {
  faultRows().row(33, { of: 'dropped on the way', meetsAll: true }, async ({ setAll, told, old }) => {
    await setAll('strip-authorization')
    const said = await told(/The signature does not reach Test service/)
    expect(said).toMatch(/Signature rejected \(401\)/)
    expect(said).toContain('An unsigned request gets the same answer.')
    await old()
  })
})

/** Each with a world of its own: failures of one service are looked into only so often. */
describe('a service whose clock is another', () => {
  const LEFT = { leaves: 'data/clock' }

  faultRows().row(76, { of: '45 s ahead', ...LEFT }, async (given) => {
    await given.setAll('clock-offset', 45_000)
    expect(await given.told('data/clock')).toMatch(/(Clocks disagree by|This computer’s clock is) 4[456] s/)
    await given.polls(2)
    agesAreRight(given)
  })

  faultRows().row(76, { of: 'beyond the window of signatures', ...LEFT }, async (given) => {
    await given.setAll('clock-offset', 73_000)
    expect(await given.told(/This computer’s clock is 7[234] s slow/)).toMatch(
      /Measured from the Date in the answers of Test service, ± \d\.\d\d s/,
    )
    await given.polls(2)
    agesAreRight(given)
  })

  for (const [of, byMs, words] of [
    ['an hour ahead', HOUR_MS, /This computer’s clock is 1 h 00 m slow/],
    ['an hour behind', -HOUR_MS, /This computer’s clock is (1 h 00 m|59 m 5\d s) fast/],
  ] as const)
    faultRows().row(76, { of, meetsAll: true, ...LEFT }, async (given) => {
      await given.setAll('clock-offset', byMs)
      await given.told(words)
      // Further away than this nothing is signed with the service’s time unless the operator says so.
      await given.polls(2)
      expect(given.page.isLive()).toBe(false)
    })
})
