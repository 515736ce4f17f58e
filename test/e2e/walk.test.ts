import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { comparePath } from '#parts/compare-address.ts'
import { serviceIdOf } from '#record/service.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import type { FaultValue } from '#reference/faults.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { axeViolations } from '#test/support/axe.ts'
import { backupOf } from '#test/support/backup-file.ts'
import { cutOff } from '#test/support/cut-off.ts'
import { hero, message, openMessages, QUICK, setStage, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { connectionTestTexts } from '#texts/en-connection-test.ts'
import { aboutTexts } from '#texts/en-about.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { builtInTexts } from '#texts/en-built-in.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { documentTexts } from '#texts/en-rules.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { transferTexts } from '#texts/en-transfer.ts'

const browser = browserForTests()

type Look = {
  readonly name: string
  readonly colorScheme: 'dark' | 'light'
  readonly contrast: 'more' | 'no-preference'
}
const DARK: Look = { name: 'dark', colorScheme: 'dark', contrast: 'no-preference' }
const LIGHT: Look = { name: 'light', colorScheme: 'light', contrast: 'no-preference' }
const HIGH_DARK: Look = { name: 'dark, high contrast', colorScheme: 'dark', contrast: 'more' }
const HIGH_LIGHT: Look = { name: 'light, high contrast', colorScheme: 'light', contrast: 'more' }
type Screens = readonly { readonly width: number; readonly height: number; readonly looks: readonly Look[] }[]

const PHONE = { width: 320, height: 640 }
/** A screen of 1440 by 900 at a zoom of 200 %. */
const ZOOMED = { width: 720, height: 450 }
/** A tablet, or half of a wide screen. */
const HALF = { width: 1_024, height: 768 }
/** Widths at which nothing may be cut. */
const NARROW: Screens = [
  { ...PHONE, looks: [] },
  { ...ZOOMED, looks: [] },
]
const WIDE = { width: 1_440, height: 900 }
/** A look changes only colours, so the other checks run once per width. */
const EVERY_LOOK: Screens = [
  { ...WIDE, looks: [DARK, LIGHT, HIGH_DARK] },
  { ...PHONE, looks: [HIGH_LIGHT] },
  { ...ZOOMED, looks: [] },
  { ...HALF, looks: [] },
]
/** For other data or states of a page whose looks were all checked. */
const BOTH_THEMES: Screens = [{ ...WIDE, looks: [DARK, LIGHT] }, ...NARROW]
/** For elements with the colours of other pages. */
const ONE_THEME: Screens = [{ ...WIDE, looks: [DARK] }, ...NARROW]

/**
 * Lists the problems of the current page at every width and in every look. Starts at the top each time, because an
 * element that a fixed bar partly covers counts as too small to click.
 */
async function problemsOf(page: Page, screens: Screens = BOTH_THEMES): Promise<readonly string[]> {
  const found: string[] = []
  for (const { width, height, looks } of screens) {
    await page.setViewportSize({ width, height })
    // Elements that measure themselves render again after the first frame.
    await page.evaluate(async () => {
      scrollTo(0, 0)
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    })
    found.push(...(await cutOff(page)).map((problem) => `${width} px: ${problem}`))
    for (const [place, { name, ...media }] of looks.entries()) {
      await page.emulateMedia({ ...media, reducedMotion: 'reduce' })
      const problems = await axeViolations(page, place === 0 ? 'all' : 'colours')
      found.push(...problems.map((problem) => `${width} px, ${name}: ${problem}`))
    }
  }
  return found
}

const SETTINGS = [
  'services',
  'signing',
  'key',
  'nodes',
  'units',
  'notifications',
  'display',
  'document',
  'storage',
]
/** Names of the maximum length: one without a break, one that is hostile, and one of several words. */
const NAMES = ['', 'WIDE'.repeat(15), '\u202eevil', 'a name of several words '.repeat(3).slice(0, 59).trim()]
const TAG = 'frankfurt-rack-4-row-2-position1'
const LIMIT_MS = 480_000
const PASSPHRASE = 'twelve letters and more'

let stage: Stage
let page: Page

/** Contents of the screen. The tests visit the same routes with each. */
const SCENES: readonly {
  readonly name: string
  readonly set: () => Promise<void>
  readonly isThere: () => Promise<void>
}[] = [
  {
    name: 'data',
    set: async () => undefined,
    isThere: () => hero(page).getByText('Last answer').waitFor(),
  },
  {
    name: 'failures and hostile data',
    set: () =>
      faults(
        ...(['status-500', 'status-404', 'html', 'other-node', 'hang', 'big'] as const),
        ['silent-heartbeat', 300],
        ['status-word', 'SUSPENDED'.repeat(7)],
        ...(['bidi', 'xss', 'long-status', 'wrong-types', 'heartbeat-future'] as const),
      ),
    isThere: async () => {
      await message(page, /answers with HTTP 500 for/)
        .first()
        .waitFor()
      await eachAsked()
    },
  },
]

/** Waits until every node has had a request since the statistics were reset. */
const eachAsked = () =>
  vi.waitFor(() => {
    expect(Object.keys(stage.reference.stats().byNode).length).toBe(stage.nodes.length)
  }, WAIT)

/** Sets each fault on a node of its own, in the order of the nodes. */
async function faults(...all: readonly (FaultName | readonly [FaultName, FaultValue])[]): Promise<void> {
  await stage.reference.faults.clear()
  stage.reference.resetStats()
  for (const [place, fault] of all.entries()) {
    const [name, value] = typeof fault === 'string' ? [fault] : fault
    await stage.reference.faults.set(nodeAt(place).id, { name, ...(value !== undefined && { value }) })
  }
}

function nodeAt(place: number) {
  const node = stage.nodes[place]
  if (node === undefined) throw new Error('no node')
  return node
}

/** Navigates, and waits until the number of elements has been stable for ten frames, up to a limit. */
const to = async (path: string): Promise<void> => {
  await page.evaluate(async (hash) => {
    location.hash = hash
    let [count, still] = [0, 0]
    for (let frame = 0; frame < 300 && still < 10; frame++) {
      await new Promise(requestAnimationFrame)
      const now = document.querySelectorAll('#root *').length
      still = now === count && now > 20 ? still + 1 : 0
      count = now
    }
  }, path)
}
const pathOf = (place: number): string => new URL(stage.nodeUrl(nodeAt(place))).hash.slice(1)

/** Problems of the first-run page, collected before the tests begin. */
const firstRun = new Map<string, readonly string[]>()

beforeAll(async () => {
  stage = await setStage({
    nodes: 13,
    watch: (nodes) => nodes.map((node, n) => ({ ...node, name: NAMES[n] || node.name, tags: [TAG, 'eu'] })),
    // Polls are rare, because the tests check pages, which takes long enough.
    service: { ...QUICK, label: 'L'.repeat(60), pollIntervalMs: 10_000 },
  })
  page = await browser.openPage({ viewport: { width: 1_440, height: 900 }, colorScheme: 'dark' })
  await page.goto(stage.dashboard.dashboardUrl)
  await page.getByRole('button', { name: firstRunTexts.start }).waitFor()
  firstRun.set('before a test', await problemsOf(page))
  await stage.reference.faults.set('*', { name: 'status-401' })
  await page.getByRole('button', { name: firstRunTexts.key.makeNow, exact: true }).click()
  const testAgain = page.getByRole('button', { name: connectionTestTexts.testAgain, exact: true })
  await page.getByRole('button', { name: connectionTestTexts.test, exact: true }).or(testAgain).click()
  await page.locator('.step-list .banner-evidence').waitFor()
  firstRun.set('with a failed test', await problemsOf(page, NARROW))
  await stage.reference.faults.clear()
  await testAgain.click()
  await page.getByText(firstRunTexts.firstAnswer.heartbeat).waitFor()
  firstRun.set('with a first answer', await problemsOf(page, NARROW))
  await page.getByRole('button', { name: firstRunTexts.start }).click()
  await hero(page).getByText('Last answer').waitFor()
  await vi.waitFor(() => {
    const { byNode, inFlight } = stage.reference.stats()
    expect([Object.keys(byNode).length, inFlight]).toEqual([stage.nodes.length, 0])
  }, WAIT)
}, LIMIT_MS)
afterAll(async () => {
  await stage.stop()
})

it.each(['before a test', 'with a failed test', 'with a first answer'])(
  'the first-run page %s has no accessibility problem and no cut content',
  (state) => {
    expect(firstRun.get(state)).toEqual([])
  },
)

describe.each(SCENES)('with $name', ({ name, set, isThere }) => {
  const screens = name === 'data' ? EVERY_LOOK : BOTH_THEMES
  beforeAll(async () => {
    await page.goto(stage.nodeUrl(nodeAt(0)))
    await set()
    await isThere()
  })

  it(
    'a node’s page has no accessibility problem and no cut content, from 320 px up',
    async () => {
      await page.goto(stage.nodeUrl(nodeAt(0)))
      await page.getByRole('slider').waitFor()
      expect(await problemsOf(page, screens)).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'the table of nodes has no problem',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
      await page.getByRole('grid').waitFor()
      expect(await problemsOf(page, screens)).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'a comparison that includes an unknown node has no problem',
    async () => {
      const keys = [0, 1, 7, 8, 10].map((place) => nodeKeyOf(serviceIdOf(stage.service), nodeAt(place).id))
      const unknown = nodeKeyOf(serviceIdOf(stage.service), `0x${'ab'.repeat(32)}`)
      await page.goto(`${stage.dashboard.dashboardUrl}#${comparePath([...keys, unknown])}`)
      await page.getByRole('slider').waitFor()
      expect(await problemsOf(page, screens)).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'the alarms and the journal have no problem',
    async () => {
      // Both pages show most in the scene with failures.
      const all = name === 'data' ? ONE_THEME : EVERY_LOOK
      for (const route of ['alarms', 'journal']) {
        await page.goto(`${stage.dashboard.dashboardUrl}#/${route}`)
        await page.getByRole('grid').waitFor()
        expect(await problemsOf(page, all)).toEqual([])
      }
    },
    LIMIT_MS,
  )
})

describe('nothing is cut on a phone or at a zoom of 200 %', () => {
  it.each(['/nodes?condition=critical', '/wall'])('%s', async (path) => {
    await to(path)
    expect(await problemsOf(page, NARROW)).toEqual([])
  })

  it.each([1, 5, 6, 7, 8, 9, 10, 11, 12])('a node’s page, node %d', async (place) => {
    await to(pathOf(place))
    expect(await problemsOf(page, NARROW)).toEqual([])
  })

  it.each([1, 6, 7, 8, 10])('a node on the wall, node %d', async (place) => {
    await to(pathOf(place).replace('/nodes/', '/wall/'))
    expect(await problemsOf(page, NARROW)).toEqual([])
  })

  it('every column of the journal, without scrolling sideways', async () => {
    await to('/journal')
    const grid = page.getByRole('grid')
    for (const viewport of NARROW) {
      await page.setViewportSize(viewport)
      expect(await grid.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    }
  })

  it('the detail of an alarm', async () => {
    await to('/alarms')
    await page.getByRole('grid').getByRole('row').nth(2).press('Enter')
    await page.getByRole('dialog').or(page.getByRole('complementary')).first().waitFor()
    expect(await problemsOf(page, NARROW)).toEqual([])
  })
})

/** Services from an imported file: a refused profile, a long address, and a multi-line token. */
const BROUGHT = [
  {
    baseUrl: 'https://testnet.operators.example/api',
    label: 'L'.repeat(60),
    profile: {
      message: { kind: 'template', template: `status-v1\nhttps://victim.example/${'x'.repeat(200)}\n{ts.s}` },
      headers: { Authorization: 'Bearer {sig.hex}' },
    },
  },
  { baseUrl: `https://${'a-rather-long-host-name.'.repeat(3)}example:8443/interface/v1`, profile: 'rfc9421' },
  { baseUrl: 'https://plain.example', profile: 'jwt-eddsa' },
]
const SETTINGS_FILE = { ...EMPTY_SETTINGS, services: BROUGHT }

describe('an import dialog shows the file’s services completely, with its buttons in view', () => {
  it.each([
    ['a backup', transferTexts.files.restore, transferTexts.files.restoreTitle, 'backup.ndjson'],
    ['settings', documentTexts.import, documentTexts.importTitle, 'settings.json'],
  ])('%s', async (_what, label, title, name) => {
    await to('/settings/document')
    const text = JSON.stringify(SETTINGS_FILE)
    const backup = backupOf([`{"settings":${text}}`])
    const buffer = Buffer.from(name.endsWith('.ndjson') ? backup : text)
    await page
      .getByLabel(label, { exact: true })
      .setInputFiles({ name, mimeType: 'application/json', buffer })
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.waitFor()
    for (const { baseUrl } of BROUGHT) await dialog.getByText(baseUrl, { exact: true }).first().waitFor()
    for (const viewport of [...NARROW, WIDE]) {
      await page.setViewportSize(viewport)
      expect(await cutOff(page)).toEqual([])
      const sideways = await dialog.evaluate(
        (element) =>
          Array.from(element.querySelectorAll('*')).filter((each) => each.scrollWidth > each.clientWidth + 1)
            .length,
      )
      expect([viewport.width, sideways]).toEqual([viewport.width, 0])
      for (const button of await dialog.getByRole('button').all()) {
        const box = await button.boundingBox()
        expect((box?.y ?? -1) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height)
        expect(box?.y).toBeGreaterThanOrEqual(0)
      }
    }
    await dialog.getByRole('button', { name: settingsTexts.cancel }).click()
  })
})

it.each([{ width: 390, height: 844 }, WIDE])(
  'a toast appears above the open messages without covering them, at $width px',
  async (viewport) => {
    await page.setViewportSize(viewport)
    await to('/alarms')
    await page.getByRole('button', { name: alarmTexts.act.acknowledge, exact: true }).first().click()
    await page.locator('.toast').first().waitFor()
    await openMessages(page)
    const [toast, strip] = await page.evaluate(() =>
      ['.toast-list', '.message-strip.open'].map((css) => {
        const { top, bottom, left, right } = document.querySelector(css)?.getBoundingClientRect() ?? {}
        return { top, bottom, left, right }
      }),
    )
    expect(toast?.bottom).toBeLessThanOrEqual(strip?.top ?? 0)
    expect(toast?.top).toBeGreaterThan(0)
    await page.getByRole('button', { name: alarmTexts.act.undo }).first().click()
    await page.locator('.message-strip > button').click()
  },
)

it('a page with room for everything does not scroll', async () => {
  await page.setViewportSize({ width: 1_440, height: 1_600 })
  for (const path of ['/settings/display', '/settings/key', '/alarms']) {
    await to(path)
    const [whole, seen] = await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement
      return [scrollHeight, clientHeight]
    })
    expect([path, whole]).toEqual([path, seen])
  }
})

describe('the alarm rules', () => {
  it(
    'and the form of a new one have no problem',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/alarms/rules`)
      await page.getByRole('button', { name: alarmRuleTexts.own.add }).click()
      await page.getByRole('button', { name: alarmRuleTexts.maintenance.add }).click()
      await page.getByRole('button', { name: 'Save window' }).waitFor()
      await page.getByRole('button', { name: builtInTexts.add }).click()
      expect(await problemsOf(page)).toEqual([])
    },
    LIMIT_MS,
  )
})

it('a node’s page has no problem while its service refuses connections', async () => {
  await stage.reference.faults.set('*', { name: 'refused' })
  await page.goto(stage.nodeUrl(nodeAt(0)))
  // Failing nodes are polled rarely after a while.
  await page.getByRole('button', { name: messageTexts.tryNow }).first().click()
  await message(page, /refuses connections$/).waitFor()
  expect(await problemsOf(page, ONE_THEME)).toEqual([])
  await stage.reference.faults.clear()
})

describe('the settings', () => {
  it(
    'have no problem',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/settings/${SETTINGS[0]}`)
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      // Everything that can be opened is open.
      await page.getByRole('button', { name: settingsTexts.services.copy }).first().click()
      await page.getByRole('button', { name: settingsTexts.services.add }).first().click()
      const found = Array.from(await problemsOf(page, EVERY_LOOK))
      for (const section of SETTINGS.slice(1)) {
        await page.goto(`${stage.dashboard.dashboardUrl}#/settings/${section}`)
        await page.locator(`#settings-${section}:focus`).waitFor()
        found.push(...(await problemsOf(page)))
      }
      expect(found).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'link to the About page, which has no problem',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/about`)
      await page.getByText(/^Show all \d+$/).click()
      await page.getByRole('button', { name: aboutTexts.testNow }).click()
      await page.getByRole('button', { name: aboutTexts.testAgain }).waitFor()
      expect(await problemsOf(page)).toEqual([])
    },
    LIMIT_MS,
  )

  it('ask for confirmation in a dialog without a problem', async () => {
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/storage`)
    await page.getByRole('button', { name: settingsTexts.storage.forget }).click()
    await page.getByRole('dialog').waitFor()
    expect(await problemsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

describe('the keys', () => {
  it(
    'with all their actions and dialogs have no problem',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/settings/key`)
      // Everything that can be opened is open, and everything that can be invalid is invalid.
      const keys = page.getByRole('region', { name: 'Key', exact: true })
      await keys.getByRole('button', { name: 'Replace' }).click()
      const guide = page.getByRole('region', { name: /^Replace key/ })
      await guide.getByText('In the vault').click()
      await keys.getByRole('button', { name: firstRunTexts.key.bring }).click()
      await keys.getByLabel('Or paste it').fill('11'.repeat(32))
      await keys.getByRole('button', { name: formTexts.key.read }).click()
      await keys.getByText('Raw bytes carry no type').waitFor()
      await keys.getByText(keyTexts.move.title).click()
      for (const label of ['Passphrase', keyTexts.passphrase.again])
        await guide.getByLabel(label, { exact: true }).fill(PASSPHRASE)
      await guide.getByRole('button', { name: keyTexts.replace.make }).click()
      await guide
        .getByText(/keys add/)
        .first()
        .waitFor()
      await guide.getByRole('button', { name: /^Test/ }).click()
      await guide.getByRole('button', { name: connectionTestTexts.testAgain }).waitFor()
      for (const more of [keyTexts.change.title, 'Passkey', keyTexts.card.qr])
        await keys.getByText(more, { exact: true }).first().click()
      await keys.getByRole('button', { name: keyTexts.change.change }).click()
      await keys.getByText(keyTexts.passphrase.short).waitFor()
      await keys.getByRole('button', { name: 'Edit' }).first().click()
      expect(await problemsOf(page)).toEqual([])
      await keys.getByRole('button', { name: 'Remove', exact: true }).first().click()
      await page.getByRole('dialog', { name: /^Remove key/ }).waitFor()
      expect(await problemsOf(page, ONE_THEME)).toEqual([])
      await page.keyboard.press('Escape')
      // On a busy machine the signer may have restarted, which locks the vault.
      await keys.getByRole('button', { name: /^(Lock now|Unlock)$/ }).waitFor()
      const lockNow = keys.getByRole('button', { name: 'Lock now' })
      if ((await lockNow.count()) > 0) await lockNow.click()
      await keys.getByRole('button', { name: 'Unlock' }).click()
      const dialog = page.getByRole('dialog', { name: 'Unlock the key' })
      await dialog.getByLabel('Passphrase').fill('not the passphrase')
      await dialog.getByRole('button', { name: 'Unlock' }).click()
      await dialog.getByText('Wrong passphrase').waitFor()
      expect(await problemsOf(page, ONE_THEME)).toEqual([])
      await page.keyboard.press('Escape')
    },
    LIMIT_MS,
  )
})

describe('without data', () => {
  it(
    'the first screen has no problem, whether its test passed or failed',
    async () => {
      const empty = await setStage({ nodes: 1 })
      const first = await browser.openPage({ viewport: { width: 1_440, height: 900 } })
      await first.goto(empty.dashboard.dashboardUrl)
      await first.getByRole('button', { name: 'Start watching' }).click()
      await first.getByText(firstRunTexts.blocked.address).waitFor()
      await first.getByText(firstRunTexts.key.bring).click()
      await first.getByRole('textbox', { name: 'Nodes' }).fill('not a node\n0x12')
      expect(await problemsOf(first)).toEqual([])
      await first.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9')
      await first.getByRole('textbox', { name: 'Base URL' }).blur()
      await first.getByText('refuses connections').waitFor()
      expect(await problemsOf(first, ONE_THEME)).toEqual([])
      await first.goto(`${empty.dashboard.dashboardUrl}#/settings`)
      await first.getByText(settingsTexts.services.none).waitFor()
      expect(await problemsOf(first, ONE_THEME)).toEqual([])
      await empty.stop()
    },
    LIMIT_MS,
  )

  it(
    'a node that never answered and nodes that were never polled have no problem',
    async () => {
      const silent = await setStage({ nodes: 2, service: { ...QUICK, pollIntervalMs: 60_000 } })
      await silent.reference.faults.set('*', { name: 'hang' })
      const first = await browser.openPage({ viewport: { width: 1_440, height: 900 } })
      await first.goto(silent.dashboard.dashboardUrl)
      await first.getByRole('button', { name: 'Start watching' }).click()
      await hero(first).getByText('No status yet').waitFor()
      expect(await problemsOf(first)).toEqual([])
      await first.getByRole('link', { name: 'Nodes' }).first().click()
      await first.getByRole('grid').waitFor()
      expect(await problemsOf(first, ONE_THEME)).toEqual([])
      await silent.stop()
    },
    LIMIT_MS,
  )
})

describe('by keyboard alone', () => {
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const at = document.activeElement
      return at === null
        ? ''
        : `${at.tagName.toLowerCase()} ${at.getAttribute('aria-label') ?? at.textContent}`
    })

  /** The focused element if nothing shows that it has the focus; otherwise empty. */
  const focusedUnseen = async (): Promise<string> => {
    const isSeen = await page.evaluate(() => {
      const at = document.activeElement
      if (at === null || at === document.body) return true
      const shown = (element: Element): boolean => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
        return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
      }
      return shown(at) || (at.parentElement !== null && shown(at.parentElement))
    })
    return isSeen ? '' : focused()
  }

  it('the first tab stop skips the bar, and every tab stop has a visible focus', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 })
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.reload()
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('a Skip to content')
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab')
      await expect.poll(focusedUnseen).toBe('')
    }
    await page.locator('.app-shell-skip').focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(new URL(page.url()).hash).toBe('#/nodes')
  })

  it('the chart announces its values poll by poll', async () => {
    const [first] = stage.nodes
    if (first === undefined) throw new Error('no node')
    await page.goto(stage.nodeUrl(first))
    const slider = page.getByRole('slider', { name: nodeHistoryTexts.chart.crosshair })
    await slider.focus()
    await page.keyboard.press('End')
    const last = await slider.getAttribute('aria-valuetext')
    expect(last).toMatch(/Participation/)
    await page.keyboard.press('ArrowLeft')
    expect(await slider.getAttribute('aria-valuetext')).not.toBe(last)
    await page.locator('.crosshair-line').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.crosshair-line').waitFor({ state: 'detached' })
    await page.getByText('Show as table').click()
    await page.getByRole('grid', { name: 'Values of this range' }).getByRole('row').nth(2).waitFor()
  })
})

describe('system preferences', () => {
  it('F 100: forced colours keep text, shapes and edges', async () => {
    const forced = await browser.openPage({ context: page.context() })
    await forced.emulateMedia({ forcedColors: 'active' })
    await forced.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await forced.getByRole('grid').getByText('ACTIVE').first().waitFor()
    // The checker compares the page's own colours instead of the forced ones.
    const problems = await axeViolations(forced)
    expect(problems.filter((problem) => !problem.startsWith('color-contrast'))).toEqual([])
  })

  it('F 100: with reduced motion nothing is animated', async () => {
    const moving = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect.poll(moving).toBe(0)
  })
})
