import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { loadLateParts } from '#test/support/late-parts.ts'
import { surviveForeignChanges } from '#platform/foreign-changes.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { readerOf, textOf } from './screen.ts'
import { openWorld } from './world.tsx'

const PAGES = ['/nodes', '/alarms', '/wall', '/journal', '/settings/services']

const wrapper = (): HTMLElement => document.createElement('font')
const filled = (text: string): HTMLElement => {
  const inner = wrapper()
  inner.append(text)
  const outer = wrapper()
  outer.append(inner)
  return outer
}

/** Ways in which other programs, such as translators, change a text node without changing its text. */
const WAYS: Readonly<Record<string, (text: Text) => void>> = {
  'replaces each text by another element': (text) => text.replaceWith(filled(text.data)),
  'puts another element before each text, then removes it': (text) => {
    text.before(filled(text.data))
    text.remove()
  },
  'removes each text, then fills the gap': (text) => {
    const { parentNode, nextSibling } = text
    text.remove()
    parentNode?.insertBefore(filled(text.data), nextSibling)
  },
  'replaces each text by another text': (text) => text.replaceWith(new Text(text.data)),
  'wraps each text': (text) => {
    const outer = wrapper()
    text.replaceWith(outer)
    outer.append(text)
  },
}

function touch(page: Element, change: (text: Text) => void): void {
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT)
  const texts: Text[] = []
  while (walker.nextNode() !== null) {
    const { currentNode } = walker
    if (currentNode instanceof Text && currentNode.data.trim() !== '') texts.push(currentNode)
  }
  for (const text of texts) if (text.parentElement?.closest('font, title, style') === null) change(text)
}

const DRAWN_WITHIN = { timeout: 60_000, interval: 20 }

beforeAll(async () => {
  giveLayout()
  await loadLateParts()
})

it('a page shows the same text as an untouched one although other programs replace its text nodes', async () => {
  const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(surviveForeignChanges(document.body))
  const ways = Object.entries(WAYS)
  const world = await openWorld({ tabs: [PAGES, ...ways.map(() => PAGES)].flat() })
  onTestFinished(world.close)
  // React reveals a part that was loaded late at most every 300 ms.
  await vi.waitFor(() => {
    for (const tab of world.tabs) expect(tab.querySelector('main :is(h1, h2)')).not.toBeNull()
  }, DRAWN_WITHIN)
  const [reference] = world.references
  const tabsOf = (place: number) => world.tabs.slice(place * PAGES.length, (place + 1) * PAGES.length)
  const said = (pages: readonly Element[]) => pages.map((page) => textOf(page.querySelector('main')))
  const goOn = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      ways.forEach(([, change], place) => tabsOf(place + 1).forEach((page) => touch(page, change)))
      await world.pass(1_000)
      const untouched = said(tabsOf(0))
      ways.forEach(([way], place) =>
        expect(said(tabsOf(place + 1)), `a program that ${way}`).toEqual(untouched),
      )
    }
  }
  await world.pass(2_000)
  await goOn(2)
  await reference?.faults.set('*', { name: 'hang' })
  await goOn(4)
  expect(said(tabsOf(0)).join()).toContain('net/timeout')
  await reference?.faults.clear()
  await goOn(3)
  expect(said(tabsOf(0)).join()).not.toContain('net/timeout')
  expect(world.tabs.flatMap((page) => readerOf(page).blank())).toEqual([])
  expect(failed).not.toHaveBeenCalled()
})
