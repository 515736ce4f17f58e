import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hero, messages } from '#test/e2e/stage.ts'
import type { FaultName, FaultValue } from '#reference/faults.ts'
import { answers, expectNoScriptRan, faultStage, isLive, type Row } from './fault-stage.ts'
import { damaged } from '#reference/payload-faults.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { readStatusRecord } from '#metrics/status-record.ts'
import { FAULTS, type FaultNumber } from './matrix.ts'

const { row } = faultStage()

type Told = {
  readonly fault: FaultName
  readonly value?: FaultValue
  readonly code: string
  readonly says?: RegExp
}

/** An answer that is no record: it is told under this code, and nothing of it is used. */
function unusable(number: FaultNumber, { fault, value, code, says }: Told): void {
  row(number, { of: fault }, async ({ set, told, old }) => {
    await set(fault, value)
    const said = await told(code)
    if (says !== undefined) expect(said).toMatch(says)
    await old()
  })
}

/** An answer that is used but for what is odd about it, which is told under this code. */
function odd(
  number: FaultNumber,
  { fault, value, code, says }: Told,
  also?: (row: Row) => Promise<void>,
): void {
  row(number, { of: fault }, async (given) => {
    await given.set(fault, value)
    const said = await given.told(code)
    if (says !== undefined) expect(said).toMatch(says)
    await isLive(given.page)
    await also?.(given)
  })
}

/** An answer that is used as it is, with no message. */
function fine(
  number: FaultNumber,
  fault: FaultName,
  also: (row: Row) => Promise<void>,
  value?: FaultValue,
): void {
  row(number, { of: fault }, async (given) => {
    await given.set(fault, value)
    await answers(given, 2)
    await also(given)
    await isLive(given.page)
    expect(await messages(given.page).allInnerTexts()).toEqual([])
  })
}

/** What is made of the answer; the raw record, which stands beside it, is shown as it was sent. */
const shownText = async (page: Page): Promise<string> =>
  (await page.getByRole('main').innerText()).split('Raw record')[0] ?? ''

const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}

/** No value that must not be used is shown or drawn. */
async function noBadNumber(page: Page): Promise<void> {
  expect(await shownText(page)).not.toMatch(/\bNaN\b|Infinity|∞/)
  const paths = await page
    .locator('path.pl')
    .evaluateAll((all) => all.map((one) => one.getAttribute('d') ?? ''))
  expect(paths.filter((path) => /NaN|Infinity/.test(path))).toEqual([])
}

odd(41, { fault: 'missing', code: 'data/field', says: /stake_deployed is missing/ }, ({ page }) =>
  noBadNumber(page),
)

unusable(42, { fault: 'wrong-types', code: 'data/record' })

// A guess would be silent: a number is a number.
odd(43, { fault: 'numbers-as-text', code: 'data/field' }, ({ page }) => noBadNumber(page))

odd(44, { fault: 'negative', code: 'data/field', says: /3 fields can’t be used/ }, ({ page }) =>
  noBadNumber(page),
)

odd(45, { fault: 'percent', code: 'data/unit' }, ({ page }) => noBadNumber(page))
odd(45, { fault: 'participation', value: 250, code: 'data/unit' }, ({ page }) => noBadNumber(page))

odd(46, { fault: 'infinity', code: 'data/field', says: /stake_deployed can’t be used/ }, ({ page }) =>
  noBadNumber(page),
)
odd(
  46,
  { fault: 'negative-infinity', code: 'data/field', says: /stake_deployed can’t be used/ },
  ({ page }) => noBadNumber(page),
)

fine(47, 'big', async ({ page }) => {
  await page
    .getByRole('main')
    .getByText(/9,007,199,254,740,993/)
    .first()
    .waitFor()
  expect(await shownText(page)).not.toContain('9,007,199,254,740,992')
})

fine(48, 'tiny', async ({ page }) => {
  await noBadNumber(page)
})
fine(48, 'denormal', async ({ page }) => {
  await noBadNumber(page)
})
fine(48, 'negative-zero', async ({ page }) => {
  expect(await shownText(page)).not.toMatch(/[-−]0\b/)
})

unusable(49, { fault: 'nan', code: 'data/not-json' })
odd(49, { fault: 'nan-text', code: 'data/field', says: /network_participation can’t be used/ }, ({ page }) =>
  noBadNumber(page),
)

unusable(50, { fault: 'truncated-json', code: 'data/not-json' })
unusable(50, { fault: 'trailing-bytes', code: 'data/not-json' })
unusable(50, { fault: 'utf-16', code: 'data/not-json' })

fine(51, 'bom', async ({ page }) => {
  await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
})

unusable(52, { fault: 'null', code: 'data/not-json' })
unusable(52, { fault: 'array', code: 'data/not-json' })
unusable(52, { fault: 'string', code: 'data/not-json' })

row(53, {}, async ({ page, set, told, old }) => {
  await set('html')
  expect(await told('data/not-json')).toMatch(/page|HTML/i)
  await expectNoScriptRan(page)
  await old()
})

row(54, {}, async ({ page, set }) => {
  await set('duplicate-keys')
  // The last one counts, as in every parser.
  await hero(page).getByText('INACTIVE', { exact: true }).waitFor()
})

row(55, { of: 'beside the fields' }, async (given) => {
  await given.set('proto')
  await answers(given, 3)
  await isLive(given.page)
  await hero(given.page).getByText('ACTIVE', { exact: true }).waitFor()
  expect(await shownText(given.page)).not.toContain('isAdmin')
  expect(await given.page.evaluate(() => Reflect.get({}, 'isAdmin'))).toBeUndefined()
})
unusable(55, { fault: 'proto-only', code: 'data/record' })

odd(56, { fault: 'xss', code: 'data/status' }, async ({ page }) => {
  await hero(page).getByText(/<img/).waitFor()
  await expectNoScriptRan(page)
})

odd(57, { fault: 'bidi', code: 'data/status' }, async ({ page }) => {
  expect(await hero(page).innerText()).toMatch(/U\+202E/i)
  expect(await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069\u200b]/.test(document.body.innerText))).toBe(
    false,
  )
})
odd(57, { fault: 'surrogate', code: 'data/status' }, async ({ page }) => {
  expect(await hero(page).innerText()).toMatch(/U\+D800/i)
})

odd(58, { fault: 'look-alike', code: 'data/status' }, async ({ page }) => {
  expect(await hero(page).innerText()).toMatch(/look-alike/)
})
odd(58, { fault: 'padded-status', code: 'data/status' })
odd(58, { fault: 'status-word', value: 'active', code: 'data/status' })

unusable(59, { fault: 'long-status', code: 'data/too-large' })
odd(59, { fault: 'long-status', value: 40_000, code: 'data/status' }, async ({ page }) => {
  expect((await shownText(page)).length).toBeLessThan(20_000)
})

unusable(60, { fault: 'big-body', code: 'data/too-large' })
unusable(60, { fault: 'padding', code: 'data/too-large' })

unusable(61, { fault: 'gzip-bomb', code: 'data/too-large' })

unusable(62, { fault: 'deep', code: 'data/too-large' })
unusable(62, { fault: 'deep', value: 30_000, code: 'data/not-json' })

odd(66, { fault: 'heartbeat-future', code: 'data/clock' }, async ({ page }) => {
  expect(await hero(page).innerText()).toMatch(/clocks disagree/)
})
fine(
  66,
  'heartbeat-future',
  async ({ page }) => {
    expect(await hero(page).innerText()).not.toMatch(/clocks disagree|-\d/)
  },
  1,
)

fine(67, 'heartbeat-ms', async ({ page }) => {
  await page
    .getByRole('main')
    .getByText(/Taken as milliseconds/)
    .first()
    .waitFor()
})

for (const fault of ['heartbeat-zero', 'heartbeat-negative', 'heartbeat-fraction', 'heartbeat-text'] as const)
  odd(68, { fault, code: 'data/field', says: /last_heartbeat/ }, async ({ page }) => {
    expect(await hero(page).innerText()).not.toMatch(/\d{4,}\s*(d|years?)/)
  })

row(69, { of: 'stands still' }, async ({ page, set }) => {
  await set('silent-heartbeat', 600)
  await hero(page).getByText('Heartbeat too old').waitFor()
  expect(await hero(page).locator('.big.critical').innerText()).toMatch(/1\d\s*min/)
  await isLive(page)
})
row(69, { of: 'runs backwards' }, async ({ page, set }) => {
  await set('heartbeat-backwards', 120)
  await hero(page).getByText('Heartbeat too old').waitFor()
  await isLive(page)
})

unusable(70, { fault: 'other-node', code: 'data/wrong-node' })
fine(70, 'id-upper-case', async ({ page }) => noBadNumber(page))
fine(70, 'id-bare', async ({ page }) => noBadNumber(page))

odd(72, { fault: 'cached', code: 'data/cached' })

odd(73, { fault: 'status-word', code: 'data/status' }, async ({ page }) => {
  await hero(page).getByText('DRAINING', { exact: true }).waitFor()
})

fine(74, 'extra-fields', async ({ page }) => {
  await page
    .getByRole('main')
    .getByText(/New fields/)
    .first()
    .waitFor()
})

row(75, { of: 'as polls' }, async (given) => {
  await given.set('fuzz', 17)
  await answers(given, 6)
  await noBadNumber(given.page)
})

it(`F 75: ${FAULTS[75]} (1,000 times, as the reader sees it)`, () => {
  const good = JSON.stringify({
    node_id: `0x${'5c'.repeat(32)}`,
    status: 'ACTIVE',
    stake_deployed: 1_250_000,
    network_participation: 0.9731,
    threat_responses_executed: 4_182,
    last_heartbeat: 1_763_450_000,
    cryptographic_proof: `0x${'a1'.repeat(64)}`,
  })
  let records = 0
  for (let turn = 0; turn < 1_000; turn++) {
    const json = parseJsonRecord(damaged(good, 75, turn))
    if (!json.ok) continue
    records++
    const numbers = numbersIn(readStatusRecord(json.value))
    expect(numbers.filter((number) => !Number.isFinite(number) || number < 0)).toEqual([])
  }
  // Both ends of the reader were reached.
  expect(records).toBeGreaterThan(50)
  expect(records).toBeLessThan(950)
})

describe('counters', () => {
  const counters = faultStage({
    before: ({ reference, nodes: [first] }) =>
      reference.faults.set(first?.id ?? '', { name: 'counter-jump', value: 5e9 }),
  })
  /** Over the lane of the chart: the total, and by how much it rose. */
  const lane = ({ page }: Row) => page.getByText(/^[+][\d,]+ in /).first()

  counters.row(65, { leaves: 'data/counter' }, async (given) => {
    await answers(given, 2)
    expect(await shownText(given.page)).toMatch(/5,000,0\d\d,\d{3}/)
    // Nobody saw it rise to that.
    expect(Number(/\d+/.exec(await lane(given).innerText())?.[0])).toBeLessThan(1_000)
    // Afterwards it falls to what it really is, which is told as what it is.
    await given.reference.faults.clear()
    await given.told('data/counter')
  })

  counters.row(63, { leaves: 'data/counter' }, async (given) => {
    await given.set('counter-restart')
    await expect
      .poll(async () => (await messages(given.page).allInnerTexts()).join())
      .toContain('data/counter')
    await isLive(given.page)
    expect(await lane(given).innerText()).not.toMatch(/[-−]\d/)
    await noBadNumber(given.page)
  })

  counters.row(64, { leaves: 'data/counter' }, async (given) => {
    await given.set('counter-jump', 1e12)
    await expect.poll(() => shownText(given.page)).toMatch(/1,000,000,0\d\d,\d{3}/)
    await isLive(given.page)
    await noBadNumber(given.page)
  })
})

describe('proofs', () => {
  const proofs = faultStage({ service: { proof: 'record-v1' } })
  proofs.row(71, { of: 'wrong' }, async ({ page, set, told }) => {
    await set('proof-wrong')
    await told('data/proof')
    expect(await shownText(page)).not.toMatch(/Verified/)
    await isLive(page)
  })
  proofs.row(71, { of: 'of another node' }, async ({ page, set, told }) => {
    await set('proof-by-other-node')
    await told('data/proof')
    expect(await shownText(page)).not.toMatch(/Verified/)
  })
  proofs.row(71, { of: 'cut' }, async ({ page, set, told }) => {
    await set('proof-short')
    await told('data/proof')
    expect(await shownText(page)).not.toMatch(/Verified/)
  })
  proofs.row(71, { of: 'missing' }, async ({ page, set, told }) => {
    await set('missing', 'cryptographic_proof')
    await told('data/field')
    expect(await shownText(page)).not.toMatch(/Verified/)
  })
})
