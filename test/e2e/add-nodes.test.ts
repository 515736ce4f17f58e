import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Page } from 'playwright-core'
import { formTexts } from '#texts/en-first-run.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { setStage, startWatching, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'

const KNOWN = 3
const NEW = 9_000
const LABEL = 'Test service'

const words = settingsTexts.nodes
const browser = browserForTests()
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await setStage({
    nodes: KNOWN,
    // Polls are rare, so that thousands of nodes, which the service does not know, cause no load.
    service: { label: LABEL, pollIntervalMs: 600_000, pace: 5 },
  })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
})
afterAll(async () => {
  await stage.stop()
})

const idOf = (index: number): string => `0x${(index + 1).toString(16).padStart(64, '0')}`

/** Many good lines, and every kind of bad line. */
function largeCsv() {
  const [first, second] = stage.nodes
  if (first === undefined || second === undefined) throw new Error('no nodes')
  const good = Array.from({ length: NEW }, (_, index) => `${idOf(index)};"node; ${index}";eu gold`)
  const bad: readonly (readonly [line: string, problem: keyof typeof formTexts.nodes.problems])[] = [
    [';nameless', 'empty'],
    ['vela-007;no id', 'no-prefix'],
    ['0xZZ;no hex', 'not-hex'],
    [`0x${'1'.repeat(129)};long`, 'too-long'],
    ['0xaaaa1;tag;2nd', 'bad-tag'],
    [`0xaaaa2;tags;${Array.from({ length: 17 }, (_, index) => `t${index}`).join(' ')}`, 'too-many-tags'],
    ['1.23E+45;from a spreadsheet', 'rounded'],
    ['0xaaaa3;elsewhere;eu;https://unknown.example', 'unknown-service'],
  ]
  const lines = ['id;name;tags;service', ...good]
  for (const [index, [line]] of bad.entries()) lines.splice(1_000 * (index + 1), 0, line)
  const repeated = Array.from(
    { length: 900 },
    (_, index) => `${idOf(index).toUpperCase().replace('0X', '0x')};again`,
  )
  lines.push(`${first.id};${first.name}`, `${second.id};renamed`, ...repeated)
  while (lines.length < 10_000) lines.push('# a remark')
  return {
    buffer: Buffer.from(`\ufeff${lines.join('\r\n')}`),
    wrong: bad.map(([line, problem]) => ({ line: lines.indexOf(line) + 1, problem })),
    repeated: repeated.length,
  }
}

const preview = () => page.getByRole('region', { name: words.preview.label })
const kind = (name: keyof typeof words.preview.kinds, count: number) =>
  preview().getByText(words.preview.kind(words.preview.kinds[name], count), { exact: true })
const file = () => page.getByLabel(formTexts.nodes.chooseFile)
const count = () => page.getByText(words.count(KNOWN), { exact: true })

async function openList(): Promise<void> {
  await page.goto(`${stage.dashboard.dashboardUrl}#/settings/nodes`)
  await page.getByRole('button', { name: words.add, exact: true }).click()
}

it('previews a list of 10,000 lines, names each bad one, and adds nothing without confirmation', async () => {
  await openList()
  const { buffer, wrong, repeated } = largeCsv()
  await file().setInputFiles({ name: 'nodes.csv', mimeType: 'text/csv', buffer })
  await kind('new', NEW).waitFor()
  // The server's file defines this node, so it can only be changed there.
  await kind('fixed', 1).click()
  await preview().getByText(words.preview.ignored.fixed).waitFor()
  await preview()
    .getByText(words.preview.name(stage.nodes[1]?.name ?? '', 'renamed'), { exact: true })
    .waitFor()
  await kind('unchanged', 1).waitFor()
  await kind('repeated', repeated).click()
  await preview().getByText(words.preview.first(100), { exact: false }).waitFor()
  await kind('invalid', wrong.length).click()
  for (const { line, problem } of wrong)
    await preview()
      .getByText(`${formTexts.nodes.line(line)}: ${formTexts.nodes.problems[problem]}`)
      .waitFor()
  // Only visible rows are in the document.
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(2_500)
  await count().waitFor()

  await page.getByRole('button', { name: words.addThese(NEW, 0) }).click()
  await page.getByText(words.count(KNOWN + NEW), { exact: true }).waitFor()
  // Rejected lines remain for correction.
  await kind('invalid', wrong.length).waitFor()
  await page.getByRole('button', { name: settingsTexts.cancel }).click()
  await vi.waitUntil(
    () => Object.keys(stage.reference.stats().byNode).some((id) => id.startsWith('0x000')),
    WAIT,
  )

  await page.getByRole('button', { name: 'Undo' }).first().click()
  await count().waitFor()
})
