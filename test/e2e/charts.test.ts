import { readFileSync } from 'node:fs'
import { Buffer } from 'node:buffer'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { METRICS } from '#metrics/metrics.ts'
import { sampleColumns } from '#history/transfer/export-columns.ts'
import { EXPORT_FORMAT } from '#history/transfer/transfer.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { setStage, startWatching, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { transferTexts } from '#texts/en-transfer.ts'

const SECOND = 1_000
const EVERY = 15 * SECOND

const browser = browserForTests()
let stage: Stage
let page: Page
/** Start of a full hour, long enough ago to be imported. */
let startMs: number

beforeAll(async () => {
  stage = await setStage({ nodes: 1, service: { label: 'Test service', pollIntervalMs: EVERY } })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 }, timezoneId: 'Europe/Berlin' })
  await startWatching(page, stage)
  startMs = Math.floor((Date.now() - 3 * HOUR_MS) / HOUR_MS) * HOUR_MS
  const rows = knownRows()
  await page.goto(`${stage.dashboard.dashboardUrl}#/settings/document`)
  await page
    .getByLabel(transferTexts.files.import)
    .setInputFiles({ name: 'known.json', mimeType: 'application/json', buffer: exportOf(rows) })
  await page.getByText(`Imported ${rows.length} records`).waitFor()
})
afterAll(async () => {
  await stage.stop()
})

type Row = Readonly<Record<string, string | number | boolean>>

/** 30 minutes every 15 s: a stake above 2^53 that grows by 2, two failures, a counter restart, a gap of 7 m 45 s. */
function knownRows(): readonly Row[] {
  const answered = (offset: number, more: Row): Row => ({
    time_ms: startMs + offset,
    outcome: 'answered',
    interval: EVERY,
    status: 'ACTIVE',
    stake_deployed: offset < MINUTE_MS ? '9007199254740993' : '9007199254740995',
    counter_restarted: false,
    proof_fingerprint: offset < 4 * MINUTE_MS ? '1a2b3c4d' : '5e6f7a8b',
    proof_changed: false,
    ...more,
  })
  const rows: Row[] = []
  for (let offset = 0; offset < 30 * MINUTE_MS; offset += EVERY) {
    const place = offset / EVERY
    const isMiss = offset >= 3 * MINUTE_MS && offset < 3.5 * MINUTE_MS
    const isUnwatched = offset >= 10 * MINUTE_MS && offset < 17.75 * MINUTE_MS
    const isAfterGap = offset === 17.75 * MINUTE_MS
    if (isMiss)
      rows.push({ time_ms: startMs + offset, outcome: 'timeout', answer_time: 1_000, interval: EVERY })
    else if (offset === 10 * MINUTE_MS) rows.push({ time_ms: startMs + offset, outcome: 'not-watched' })
    else if (!isUnwatched)
      rows.push(
        answered(offset, {
          answer_time: 100 + place,
          network_participation: (9_700 + place) / 10_000,
          heartbeat_age: (2 + place) * SECOND + 900,
          threat_responses_total: offset < 4 * MINUTE_MS ? 1_000 + 3 * place : 5 + 3 * (place - 16),
          [`threat_responses_increase${isAfterGap ? '_not_watched' : ''}`]:
            place === 0 ? 0 : isAfterGap ? 96 : offset === 4 * MINUTE_MS ? 5 : 3,
          threat_responses_restarted: offset === 4 * MINUTE_MS,
          proof_changed: offset === 4 * MINUTE_MS,
        }),
      )
  }
  return rows
}

/** The rows as an export file of the app. */
function exportOf(rows: readonly Row[]): Buffer {
  const names = sampleColumns(METRICS).map(({ name }) => name)
  const node = nodeKeyOf(serviceIdOf(stage.service), stage.nodes[0]?.id)
  const head = { format: EXPORT_FORMAT, version: 1, node, resolution: 'samples', columns: names }
  const lines = rows.map((row) => JSON.stringify(names.map((name) => row[name] ?? null)))
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"rows":[\n${lines.join(',\n')}\n]}\n`)
}

/** With normal spaces. */
const plain = (text: string): string => text.replaceAll('\u00a0', ' ')

const crosshair = (): Locator => page.getByRole('slider', { name: nodeHistoryTexts.chart.crosshair })

describe('known samples', () => {
  const fromMs = () => startMs
  const toMs = () => startMs + 30 * MINUTE_MS

  beforeAll(async () => {
    const [node] = stage.nodes
    if (node === undefined) throw new Error('no node')
    const [from, to] = [fromMs(), toMs()].map((atMs) => new Date(atMs).toISOString())
    await page.goto(`${stage.nodeUrl(node)}?range=1h&from=${from}&to=${to}`)
    await crosshair().waitFor()
  })

  /** The time as "HH:MM:SS" in UTC. */
  const clock = (offset: number): string => new Date(startMs + offset).toISOString().slice(11, 19)

  /** Points at a moment and reads its labels, from top to bottom: time, chart rows, events. */
  async function pointAt(offset: number): Promise<readonly string[]> {
    const width = (await crosshair().boundingBox())?.width ?? 0
    await crosshair().hover({ position: { x: (offset / (toMs() - fromMs())) * width, y: 10 } })
    return (await page.locator('.crosshair .crosshair-label').allInnerTexts()).map(plain)
  }

  it.each([
    ['an answer', MINUTE_MS - EVERY, ['5 s', '97.03 %', '6 in 30 s', '9,007,199,254,740,993', '103 ms']],
    ['a larger stake', MINUTE_MS, ['6 s', '97.04 %', '6 in 30 s', '9,007,199,254,740,995', '104 ms']],
    [
      'a counter restart and a new proof',
      4 * MINUTE_MS,
      [
        '18 s',
        '97.16 %',
        '8 in 30 s',
        '9,007,199,254,740,995',
        '116 ms',
        'proof changed',
        'Threat responses reset',
      ],
    ],
  ])('are shown exactly under the pointer: %s', async (_, offset, values) => {
    await expect.poll(() => pointAt(offset)).toEqual([clock(offset), ...values])
  })

  it.each([
    ['nobody watched', 14 * MINUTE_MS, '7 m 45 s not watched', '96 while not watched'],
    ['there was no answer', 3 * MINUTE_MS + EVERY, 'no answer: timeout', 'no answer: timeout'],
  ])('leave a gap in every row where %s', async (_, offset, why, threats) => {
    const told = [why, why, threats, why, why, why]
    await expect.poll(async () => (await pointAt(offset)).slice(1)).toEqual(told)
  })

  it('are saved as pictures without a style sheet, with node, range and time zone', async () => {
    const saved = async (format: string): Promise<Buffer> => {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: nodeHistoryTexts.picture.label(format) }).click()
      return readFileSync(await (await download).path())
    }
    const svg = (await saved('SVG')).toString()
    const [from, to] = [fromMs(), toMs()].map((atMs) =>
      new Date(atMs).toISOString().slice(0, 16).replace('T', ' '),
    )
    expect(svg).toContain(`${from} to ${to} UTC</text>`)
    expect(svg).toMatch(/Heartbeat age<.*Participation</s)
    expect(svg).toMatch(/<path[^>]* stroke="rgb/)
    expect(svg).not.toMatch(/class=|oklch|var\(/)
    const png = await saved('PNG')
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    const lastPixelAlpha = await page.evaluate(async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(bytes)]))
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      canvas?.drawImage(bitmap, 0, 0)
      return canvas?.getImageData(bitmap.width - 1, bitmap.height - 1, 1, 1).data[3]
    }, Array.from(png))
    expect(lastPixelAlpha, 'the picture fills its file').toBe(255)
  })

  it('are announced exactly with the keyboard', async () => {
    await page.mouse.move(0, 0)
    const told = async (): Promise<string> => plain((await crosshair().getAttribute('aria-valuetext')) ?? '')
    const values = (age: number, participation: string, bar: number, stake: string, latency: number) =>
      `Heartbeat age ${age} s, Participation ${participation} %, Threat responses ${bar} in 30 s, Stake deployed ${stake}, Response time ${latency} ms`
    await crosshair().press('Home')
    await expect.poll(told).toBe(`${clock(0)}: ${values(2, '97.00', 3, '9,007,199,254,740,993', 100)}`)
    for (let step = 0; step < 4; step++) await crosshair().press('ArrowRight')
    await expect
      .poll(told)
      .toBe(`${clock(MINUTE_MS)}: ${values(6, '97.04', 6, '9,007,199,254,740,995', 104)}`)
  })

  it('are totalled beside the rows', async () => {
    const heads = (await page.locator('.strip-chart .strip-chart-label').allInnerTexts()).map((text) =>
      plain(text).replaceAll('\n', ' '),
    )
    // 87 of 89 polls were answered.
    expect(heads.find((text) => text.startsWith('Health'))).toBe('Health 97.75 % of watched time')
    expect(heads.find((text) => text.startsWith('Heartbeat'))).toContain('max 2 m 01 s')
    expect(heads.find((text) => text.startsWith('Participation'))).toContain('min 97.00 %')
    // The first sample adds nothing, the restart 5, and each of 84 others 3. The increase during the gap is separate.
    expect(heads.find((text) => text.startsWith('Threat'))).toMatch(/\+257 in 30 m · 96 while not watched$/)
    expect(heads.find((text) => text.startsWith('Response'))).toContain('max 219 ms')
  })
})

describe('the time axis in the night when the clock goes back', () => {
  /** The labels, each with its position in hours after the first one. */
  const axis = (): Promise<readonly (readonly [string, number])[]> =>
    page.locator('.plot-time').evaluateAll((labels) => {
      const places = labels.map((label) => Number(label.getAttribute('x')))
      const [first = 0, second = 0] = places
      return labels.map((label, at) => [
        label.textContent,
        Math.round((((places[at] ?? 0) - first) / (second - first)) * 100) / 100,
      ])
    })

  const choose = async (zone: string, from: string, to: string): Promise<void> => {
    await page
      .getByRole('combobox', { name: nodeHistoryTexts.range.legend })
      .selectOption(nodeHistoryTexts.range.dates)
    await page.getByLabel(`From (${zone})`).fill(from)
    await page.getByLabel(`To (${zone})`).fill(to)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
  }

  const labels = (hours: Readonly<Record<string, number>>) => Object.entries(hours)
  const UTC_LABELS = labels({
    '22:00': 0,
    '23:00': 1,
    '25 Oct': 2,
    '01:00': 3,
    '02:00': 4,
    '03:00': 5,
    '04:00': 6,
  })
  const LOCAL_LABELS = labels({ '25 Oct': 0, '01:00': 1, '02:00': 2, '03:00': 4, '04:00': 5, '05:00': 6 })

  it('F 80: has equal hours in UTC, even after a reload', async () => {
    await choose('UTC', '2026-10-24T21:00', '2026-10-25T04:00')
    await expect.poll(axis).toEqual(UTC_LABELS)
    await page.reload()
    await expect.poll(axis).toEqual(UTC_LABELS)
    expect(new URL(page.url()).hash).toMatch(/\?range=1h&from=2026-10-24T21%3A00.*&to=2026-10-25T04%3A00/)
  })

  it('F 80: has two hours from 02:00 to 03:00 in local time, with different labels', async () => {
    const address = page.url()
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/display`)
    await page.getByText('Local', { exact: true }).click()
    await page.goto(address)
    await expect.poll(axis).toEqual(LOCAL_LABELS)
    await page.getByText('All times CEST/CET').waitFor()
    const told = async (hours: number): Promise<string> => {
      const width = (await crosshair().boundingBox())?.width ?? 0
      await crosshair().hover({ position: { x: (hours / 7) * width, y: 10 } })
      return page.locator('.crosshair .crosshair-label.time').innerText()
    }
    await expect.poll(() => told(3.5)).toMatch(/^02:(29|30):\d\d CEST$/)
    await expect.poll(() => told(4.5)).toMatch(/^02:(29|30):\d\d CET$/)
  })
})
