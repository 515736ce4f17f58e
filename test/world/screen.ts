import { boundaryTexts } from '#texts/en-boundary.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { agoInSeconds } from '#test/support/ages.ts'
import { drawnAfter } from './drawn-after.ts'

/** Every page has more text than this. */
const LEAST_CHARS = 40

/** The text with normal spaces instead of the no-break spaces between numbers and units. */
export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replaceAll(/[\u00a0\u202f]/g, ' ')

/** What a user can read on a page as it was last rendered. */
export function readerOf(page: Element) {
  const all = (css: string): readonly Element[] => Array.from(page.querySelectorAll(css))
  const hero = () => page.querySelector(`[aria-label="${nodeTexts.hero.label}"]`)
  const main = (): string => textOf(page.querySelector('main'))
  const press = async (css: string, label?: string): Promise<void> => {
    const buttons = all(css).filter((one) => label === undefined || textOf(one) === label)
    if (buttons.length === 0) return
    await drawnAfter(() => {
      for (const button of buttons) if (button instanceof HTMLElement) button.click()
    })
  }
  return {
    all,
    press,
    /** The interpreted answer, without the raw record, which the page shows as it was sent. */
    values: (): string => main().split('Raw record')[0] ?? '',
    /** The current status on a node's page. */
    hero: (): string => textOf(hero()),
    /** The full text of every message. */
    messages: async (): Promise<readonly string[]> => {
      await press('.message-strip > button[aria-expanded=false]')
      return all('.banner').map(textOf)
    },
    tryNow: () => press('.banner button', messageTexts.tryNow),
    /** Whether the page shows the values as current. */
    isLive: (): boolean =>
      textOf(hero()).includes(nodeTexts.hero.lastAnswer) && hero()?.querySelector('.hero-state.old') === null,
    /** The age of the values in seconds if all of them are shown as old; otherwise what is wrong. */
    oldFor: (): number | string => {
      const values = all('.strip-chart .row-head-value')
      if (hero()?.querySelector('.hero-state.old') === null) return 'the status is shown as current'
      if (values.length === 0 || values.some((one) => !one.classList.contains('old')))
        return 'a measurement is shown as current'
      if (!textOf(hero()).includes(nodeTexts.hero.notKnownNow))
        return 'the page does not say that the current status is unknown'
      const age = agoInSeconds(/as of .*? ago/.exec(textOf(hero()))?.[0] ?? '')
      return Number.isNaN(age) ? 'no age' : age
    },
    /** Whether the table shows this node as current; undefined if it has no row. */
    isRowLive: (name: string): boolean | undefined => {
      const row = all('[role=row]').find((one) => textOf(one.querySelector('a')) === name)
      if (row === undefined) return undefined
      const isOld = row.querySelector('.old') !== null
      if (isOld !== /\d\s[dhms] old/.test(textOf(row)))
        throw new Error(`${name} contradicts itself about its age`)
      return !isOld
    },
    /** The parts that failed to render, and whether the page is blank. */
    blank: (): readonly string[] => {
      const { title, rootTitle, missingTitle } = boundaryTexts
      const failed = [title, rootTitle, missingTitle].filter((one) => textOf(page).includes(one))
      const isEmpty = main().length < LEAST_CHARS || page.querySelector('main :is(h1, h2)') === null
      return isEmpty ? [...failed, 'a blank page'] : failed
    },
  }
}
