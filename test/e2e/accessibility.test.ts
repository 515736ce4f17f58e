import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { comparePath } from '#parts/compare-address.ts'
import { serviceIdOf } from '#record/service.ts'
import type { FaultName } from '#reference/faults.ts'
import { axeViolations } from '#test/support/axe.ts'
import { hero, message, QUICK, setStage, startWatching, WAIT, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { connectionTestTexts } from '#texts/en-connection-test.ts'
import { aboutTexts } from '#texts/en-about.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { settingsTexts } from '#texts/en-settings.ts'

const browser = browserForTests()

type Look = {
  readonly name: string
  readonly colorScheme: 'dark' | 'light'
  readonly contrast: 'more' | 'no-preference'
}
const LOOKS: readonly Look[] = [
  { name: 'dark', colorScheme: 'dark', contrast: 'no-preference' },
  { name: 'light', colorScheme: 'light', contrast: 'no-preference' },
]
const HIGH_DARK: Look = { name: 'dark, high contrast', colorScheme: 'dark', contrast: 'more' }
const HIGH_LIGHT: Look = { name: 'light, high contrast', colorScheme: 'light', contrast: 'more' }
/** A look changes colours and not places: the first of a width is looked at whole, and the two of high contrast take turns. */
const SCREENS: readonly { readonly width: number; readonly looks: readonly Look[] }[] = [
  { width: 1_440, looks: [...LOOKS, HIGH_DARK] },
  { width: 390, looks: [...LOOKS, HIGH_LIGHT] },
  { width: 360, looks: [...LOOKS, HIGH_DARK] },
]

/** For other data on a page that was gone through in all of these: every width and every look, once. */
const EACH_ONCE: typeof SCREENS = [
  { width: 1_440, looks: [...LOOKS.slice(0, 1), HIGH_LIGHT] },
  { width: 390, looks: LOOKS.slice(1) },
  { width: 360, looks: [HIGH_DARK] },
]

/** For states of one page whose colours and places were gone through in another: the widest and the narrowest. */
const ENDS: typeof SCREENS = [
  { width: 1_440, looks: LOOKS.slice(0, 1) },
  { width: 360, looks: LOOKS.slice(1) },
]

/**
 * Goes through every look and width with the page as it stands, and lists what is wrong with
 * each. Always from the top: what a fixed bar covers in part counts as too small to be hit.
 */
async function problemsOf(page: Page, screens: typeof SCREENS = SCREENS): Promise<readonly string[]> {
  const found: string[] = []
  for (const { width, looks } of screens) {
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate(() => scrollTo(0, 0))
    for (const [place, { name, ...media }] of looks.entries()) {
      await page.emulateMedia({ ...media, reducedMotion: 'reduce' })
      const rules = place === 0 ? 'all' : 'colours'
      const problems = [...(await axeViolations(page, rules)), ...(await sidewaysOf(page))]
      found.push(...problems.map((problem) => `${width} px, ${name}: ${problem}`))
    }
  }
  return found
}

/** A page must not scroll sideways; tables and charts may, inside themselves. */
const sidewaysOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth > clientWidth ? [`scrolls sideways, ${scrollWidth} in ${clientWidth} px`] : []
  })

const SETTINGS = ['services', 'signing', 'key', 'nodes', 'units', 'display', 'document', 'storage']
const LIMIT_MS = 480_000
const PASSPHRASE = 'twelve letters and more'

let stage: Stage
let page: Page

/** What stands on the screen: the same routes with each of them. */
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
    name: 'hostile data',
    set: () => faults('bidi', 'xss', 'long-status', 'wrong-types', 'heartbeat-future'),
    isThere: () =>
      message(page, /has no meaning set/)
        .first()
        .waitFor(),
  },
  {
    name: 'failures',
    set: () => faults('status-500', 'status-404', 'html', 'other-node', 'hang'),
    isThere: () =>
      message(page, /answers 500 for/)
        .first()
        .waitFor(),
  },
  {
    name: 'old data',
    set: () => stage.reference.faults.set('*', { name: 'refused' }),
    isThere: () =>
      hero(page)
        .getByText(/^as of/)
        .waitFor(),
  },
]

/** Each fault on a node of its own; the first node has the first one. */
async function faults(...names: readonly FaultName[]): Promise<void> {
  await stage.reference.faults.clear()
  for (const [place, name] of names.entries()) {
    const node = stage.nodes[place]
    if (node !== undefined) await stage.reference.faults.set(node.id, { name })
  }
}

beforeAll(async () => {
  stage = await setStage({
    nodes: 8,
    // A name, too, may be anything: it comes from a file.
    watch: (nodes) =>
      nodes.map((node, place) =>
        place === 1
          ? { ...node, name: 'a-very-long-name-'.repeat(3) }
          : place === 2
            ? { ...node, name: '\u202eevil' }
            : node,
      ),
    // Slower than others: what is looked at is the page, which takes long enough.
    service: { ...QUICK, pollIntervalMs: 3_000 },
  })
  page = await browser.openPage({ viewport: { width: 1_440, height: 900 } })
  await startWatching(page, stage)
  await vi.waitFor(() => {
    const { byNode, inFlight } = stage.reference.stats()
    expect([Object.keys(byNode).length, inFlight]).toEqual([stage.nodes.length, 0])
  }, WAIT)
})
afterAll(async () => {
  await stage.stop()
})

describe.each(SCENES)('with $name', ({ name, set, isThere }) => {
  const screens = name === 'data' ? SCREENS : EACH_ONCE
  beforeAll(async () => {
    const [first] = stage.nodes
    if (first === undefined) throw new Error('no node')
    await page.goto(stage.nodeUrl(first))
    await set()
    await isThere()
  })

  it(
    'the page of a node has no accessibility problem, from 360 px up, in every look',
    async () => {
      const [first] = stage.nodes
      if (first === undefined) throw new Error('no node')
      await page.goto(stage.nodeUrl(first))
      await page.getByRole('slider').waitFor()
      expect(await problemsOf(page, screens)).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'the table of nodes has none either',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
      await page.getByRole('grid').waitFor()
      expect(await problemsOf(page, screens)).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'nor has a comparison, with a node that nobody watches',
    async () => {
      const keys = stage.nodes.slice(0, 5).map(({ id }) => nodeKeyOf(serviceIdOf(stage.service), id))
      const unknown = nodeKeyOf(serviceIdOf(stage.service), `0x${'ab'.repeat(32)}`)
      await page.goto(`${stage.dashboard.dashboardUrl}#${comparePath([...keys, unknown])}`)
      await page.getByRole('slider').waitFor()
      expect(await problemsOf(page, screens)).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'nor have the alarms, and the journal',
    async () => {
      // Both have the most to show where the most is wrong.
      const all = name === 'failures' ? SCREENS : ENDS
      for (const route of ['alarms', 'journal']) {
        await page.goto(`${stage.dashboard.dashboardUrl}#/${route}`)
        await page.getByRole('grid').waitFor()
        expect(await problemsOf(page, all)).toEqual([])
      }
    },
    LIMIT_MS,
  )
})

describe('the rules of alarms', () => {
  it(
    'have no accessibility problem, nor has the form of a new one',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/alarms/rules`)
      await page.getByRole('button', { name: alarmRuleTexts.own.add }).click()
      await page.getByRole('button', { name: alarmRuleTexts.maintenance.add }).click()
      await page.getByRole('button', { name: 'Save window' }).waitFor()
      expect(await problemsOf(page, ENDS)).toEqual([])
    },
    LIMIT_MS,
  )
})

describe('the settings', () => {
  it(
    'have no accessibility problem',
    async () => {
      await stage.reference.faults.clear()
      await page.goto(`${stage.dashboard.dashboardUrl}#/settings/${SETTINGS[0]}`)
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      // Whatever opens is open.
      await page.getByRole('button', { name: settingsTexts.services.copy }).first().click()
      await page.getByRole('button', { name: settingsTexts.services.add }).first().click()
      const found = Array.from(await problemsOf(page))
      for (const section of SETTINGS.slice(1)) {
        await page.goto(`${stage.dashboard.dashboardUrl}#/settings/${section}`)
        await page.locator(`#settings-${section}:focus`).waitFor()
        found.push(...(await problemsOf(page, ENDS)))
      }
      expect(found).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'lead to what this product says of itself, which has none either',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/about`)
      await page.getByText(/^Show all \d+$/).click()
      await page.getByRole('button', { name: aboutTexts.testNow }).click()
      await page.getByRole('button', { name: aboutTexts.testAgain }).waitFor()
      expect(await problemsOf(page)).toEqual([])
    },
    LIMIT_MS,
  )

  it.each(SETTINGS)('have an address for each section: %s', async (section) => {
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.goto(`${stage.dashboard.dashboardUrl}#/settings/${section}`)
    await page.locator(`#settings-${section}:focus`).waitFor()
  })

  it('ask before what can’t be undone, in a dialog without a problem', async () => {
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
    'and what can be done with them have no accessibility problem, nor have their dialogs',
    async () => {
      await page.goto(`${stage.dashboard.dashboardUrl}#/settings/key`)
      // Whatever opens is open, and what can be wrong is wrong.
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
      expect(await problemsOf(page, ENDS)).toEqual([])
      await keys.getByRole('button', { name: 'Remove', exact: true }).first().click()
      await page.getByRole('dialog', { name: /^Remove key/ }).waitFor()
      expect(await problemsOf(page, ENDS)).toEqual([])
      await page.keyboard.press('Escape')
      await keys.getByRole('button', { name: 'Lock now' }).click()
      await keys.getByRole('button', { name: 'Unlock' }).click()
      const dialog = page.getByRole('dialog', { name: 'Unlock the key' })
      await dialog.getByLabel('Passphrase').fill('not the passphrase')
      await dialog.getByRole('button', { name: 'Unlock' }).click()
      await dialog.getByText('Wrong passphrase').waitFor()
      expect(await problemsOf(page, ENDS)).toEqual([])
      await page.keyboard.press('Escape')
    },
    LIMIT_MS,
  )
})

describe('with nothing yet', () => {
  it(
    'the first screen has no accessibility problem, whether its test passed or failed',
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
      expect(await problemsOf(first, EACH_ONCE)).toEqual([])
      await first.goto(`${empty.dashboard.dashboardUrl}#/settings`)
      await first.getByText(settingsTexts.services.none).waitFor()
      expect(await problemsOf(first, EACH_ONCE)).toEqual([])
      await empty.stop()
    },
    LIMIT_MS,
  )

  it(
    'a node that never answered, and nodes that were never asked, have none',
    async () => {
      const silent = await setStage({ nodes: 2, service: { ...QUICK, pollIntervalMs: 60_000 } })
      await silent.reference.faults.set('*', { name: 'hang' })
      const first = await browser.openPage({ viewport: { width: 1_440, height: 900 } })
      await first.goto(silent.dashboard.dashboardUrl)
      await first.getByRole('button', { name: 'Start watching' }).click()
      await hero(first).getByText('No answer yet').waitFor()
      expect(await problemsOf(first, EACH_ONCE)).toEqual([])
      await first.getByRole('link', { name: 'Nodes' }).first().click()
      await first.getByRole('grid').waitFor()
      expect(await problemsOf(first, EACH_ONCE)).toEqual([])
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

  it('the first stop leads past the bar, and every stop can be seen', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 })
    const [first] = stage.nodes
    if (first === undefined) throw new Error('no node')
    await page.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await page.reload()
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('a Skip to content')
    const unseen: string[] = []
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab')
      const isSeen = await page.evaluate(() => {
        const at = document.activeElement
        if (at === null || at === document.body) return true
        const shown = (element: Element): boolean => {
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
          return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
        }
        return shown(at) || (at.parentElement !== null && shown(at.parentElement))
      })
      if (!isSeen) unseen.push(await focused())
    }
    expect(unseen).toEqual([])
    await page.locator('.skip').focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(new URL(page.url()).hash).toBe('#/nodes')
  })

  it('the chart tells its values from poll to poll', async () => {
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
    await page.locator('.hair').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.hair').waitFor({ state: 'detached' })
    await page.getByText('Show as table').click()
    await page.getByRole('grid', { name: 'Values of this range' }).getByRole('row').nth(2).waitFor()
  })
})

describe('what the system asks for', () => {
  it('F 100: forced colours keep words, shapes and edges', async () => {
    const forced = await browser.openPage({ context: page.context() })
    await forced.emulateMedia({ forcedColors: 'active' })
    await forced.goto(`${stage.dashboard.dashboardUrl}#/nodes`)
    await forced.getByRole('grid').getByText('ACTIVE').first().waitFor()
    // The checker compares the author's colours, which are not those that are seen here.
    const problems = await axeViolations(forced)
    expect(problems.filter((problem) => !problem.startsWith('color-contrast'))).toEqual([])
  })

  it('F 100: reduced motion leaves nothing that moves by itself', async () => {
    const moving = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect.poll(moving).toBe(0)
  })
})
