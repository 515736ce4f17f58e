import { expect } from 'vitest'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import type { FaultNumber } from '#test/faults/matrix.ts'
import type { faultRows } from './fault-rows.ts'
import { NODES } from './world.tsx'

type Rows = Pick<ReturnType<typeof faultRows>, 'row'>
type Fault = FaultName | readonly [FaultName, FaultValue]

/** A fault whose answer is rejected: number, fault, code of the failure, its title, and the advice. */
export type Told = readonly [number: FaultNumber, fault: Fault, code: string, title: RegExp, next: RegExp]

/** A fault whose answer is used. The page must show `shown` and must not show `never`. */
export type Used = readonly [
  number: FaultNumber,
  fault: Fault,
  code: string | undefined,
  title?: RegExp | undefined,
  page?: { readonly shown?: RegExp; readonly never?: RegExp },
]

/** Numbers that no screen may show. */
const NO_NUMBER = /\bNaN\b|Infinity|∞/

const partsOf = (fault: Fault) => (typeof fault === 'string' ? ([fault, undefined] as const) : fault)
const nameOf = (fault: Fault, ...how: readonly (string | false | undefined)[]): string =>
  [partsOf(fault).join(' ').trim(), ...how].filter((part) => typeof part === 'string').join(', ')

const IS_RESET: readonly FaultName[] = ['reset', 'not-http']

/** The answer is rejected: one message says so, and all earlier values stay and are shown as old. */
export function lost(
  { row }: Rows,
  rows: readonly Told[],
  { how, meetsAll = false }: { readonly how?: 'directly'; readonly meetsAll?: boolean } = {},
): void {
  for (const [number, met, code, title, next] of rows) {
    const [fault, value] = partsOf(met)
    row(
      number,
      { of: nameOf(met, how, meetsAll && 'all nodes'), meetsAll, isAskedTwice: IS_RESET.includes(fault) },
      async ({ page, ...given }) => {
        await (meetsAll ? given.setAll : given.set)(fault, value)
        const said = await given.told(meetsAll ? new RegExp(`${code}.*\\D${NODES} nodes of`) : code)
        expect(said).toMatch(title)
        expect(said).toMatch(next)
        expect(said).toMatch(/since \d\d:\d\d:\d\d, [12] failed polls?/)
        expect(said).toMatch(/next try in|trying now/)
        expect(await page.messages()).toHaveLength(1)
        await given.old()
        expect(page.hero()).toContain('ACTIVE')
        expect(page.isLive()).toBe(false)
      },
    )
  }
}

/** The answer is used, and a message reports the anomaly; without a code there is no message. */
export function used({ row }: Rows, rows: readonly Used[]): void {
  for (const [number, met, code, title, { shown, never } = {}] of rows)
    row(number, { of: nameOf(met) }, async ({ page, ...given }) => {
      const [fault, value] = partsOf(met)
      await given.set(fault, value)
      await given.polls(2)
      if (code === undefined) expect(await page.messages()).toEqual([])
      else expect(await given.told(code)).toMatch(title ?? '')
      expect(page.isLive()).toBe(true)
      expect(page.values()).not.toMatch(NO_NUMBER)
      if (shown !== undefined) expect(page.values()).toMatch(shown)
      if (never !== undefined) expect(page.values()).not.toMatch(never)
    })
}
