import { expect } from 'vitest'
import { hero } from '#test/e2e/stage.ts'
import type { FaultName, FaultValue } from '#reference/faults.ts'
import { expectNoScriptRan, faultStage, messagesDuring, soleMessage } from './fault-stage.ts'

const { row } = faultStage()

/** The answer's state is said under this code, alone, and the last values stay, visibly old. */
const isTold = (fault: FaultName, code: string, value?: FaultValue) => ({ fault, code, value })

row(31, {}, async ({ set, told, old }) => {
  await set('status-400')
  await expect.poll(() => told('node/400')).toMatch(/next try in/)
  await old()
})

row(32, {}, async ({ node, set, told, old, asked }) => {
  await set('status-401')
  // As soon as another node was answered after it: with the same key, so nothing is wrong with that.
  await expect.poll(() => told('auth/401')).toContain(`for ${node.name} only`)
  expect(await told('auth/401')).toMatch(/the key is accepted/)
  await old()
  await asked(2)
  await expect.poll(() => told('auth/401')).toMatch(/next try in/)
})

row(33, { meetsAll: true }, async ({ page, setAll, told, old }) => {
  await setAll('status-401')
  await expect.poll(() => told('auth/401')).toMatch(/all 6 nodes of Test service/)
  expect(await soleMessage(page)).toMatch(/Copy public key/)
  await old()
})

row(34, {}, async ({ page, set, told, old }) => {
  await set('status-403-html')
  await told('auth/403')
  await expectNoScriptRan(page)
  await old()
})

row(35, {}, async ({ set, told, old }) => {
  await set('status-404')
  await told('node/404')
  await old()
})

const RATE_LIMITED = [
  { of: 'Retry-After in seconds', fault: 'status-429', value: 4, words: /wait 4.s/ },
  { of: 'as a date', fault: 'status-429-date', value: 4, words: /wait [345](\.\d)?.s/ },
  { of: 'not named', fault: 'status-429-bare', value: undefined, words: /named no time/ },
  { of: 'unreadable', fault: 'status-429-bad', value: 'soon', words: /named no time/ },
  { of: 'in 31,000 years', fault: 'status-429', value: 1e12, words: /wait 1.h\b/ },
] as const
for (const { of, fault, value, words } of RATE_LIMITED)
  row(36, { of }, async ({ set, told, old }) => {
    await set(fault, value)
    expect(await told('service/429')).toMatch(words)
    await old()
  })

row(37, { of: 'a single one is no news' }, async ({ page, node, reference, set }) => {
  await set('status-503', 0)
  const said = await messagesDuring(page, async () => {
    await reference.nextRequest((seen) => seen.node === node.id)
    await reference.faults.clear(node.id)
    for (let polls = 0; polls < 2; polls++) await reference.nextRequest((seen) => seen.node === node.id)
    await hero(page).getByText('Last answer').waitFor()
  })
  expect(said).toEqual([])
})

for (const [fault, code] of [
  ['status-500', 'service/500'],
  ['status-502', 'service/502'],
  ['status-503', 'service/503'],
] as const)
  row(37, { of: fault }, async ({ set, told, old }) => {
    await set(fault)
    await told(code)
    await old()
  })

for (const { fault, code } of [
  isTold('status-204', 'service/status'),
  isTold('status-304', 'service/status'),
  isTold('empty', 'data/not-json'),
])
  row(38, { of: fault }, async ({ set, told, old }) => {
    await set(fault)
    await told(code)
    await old()
  })

for (const { fault, code, value } of [
  isTold('status-206', 'service/status'),
  isTold('status-599', 'service/599'),
  isTold('status', 'service/status', 999),
])
  row(39, { of: `${fault} ${value ?? ''}`.trim() }, async ({ set, told, old }) => {
    await set(fault, value)
    expect(await told(code)).toMatch(/206|599|999/)
    await old()
  })

row(39, { of: '103 before the answer' }, async ({ page, node, reference, set }) => {
  await set('early-hints')
  for (let polls = 0; polls < 2; polls++) await reference.nextRequest((seen) => seen.node === node.id)
  await hero(page).getByText('Last answer').waitFor()
  expect(await hero(page).locator('.state.old').count()).toBe(0)
})

row(40, {}, async ({ page, set, told, old }) => {
  await set('error-hostile')
  const said = await told('service/500')
  expect(said.length).toBeLessThan(1_000)
  expect(said).not.toContain('\u202e')
  await expectNoScriptRan(page)
  await old()
})
