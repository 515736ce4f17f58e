import { act } from '@testing-library/react'
import { boundaryTexts } from '#texts/en-boundary.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { agoInSeconds } from '#test/support/ages.ts'

/** Less text than on any page. */
const LEAST_CHARS = 40

/** Without the spaces that keep a number and its unit on one line. */
export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replaceAll(/[\u00a0\u202f]/g, ' ')

/** What a person reads on a page, as it was drawn last. */
export function readerOf(page: Element) {
  const all = (css: string): readonly Element[] => Array.from(page.querySelectorAll(css))
  const hero = () => page.querySelector(`[aria-label="${nodeTexts.hero.label}"]`)
  const main = (): string => textOf(page.querySelector('main'))
  const press = async (css: string, label?: string): Promise<void> => {
    const buttons = all(css).filter((one) => label === undefined || textOf(one) === label)
    if (buttons.length === 0) return
    await act(async () => {
      for (const button of buttons) if (button instanceof HTMLElement) button.click()
    })
  }
  return {
    all,
    press,
    /** What is made of the answer; the raw record, which stands beside it, is shown as it was sent. */
    values: (): string => main().split('Raw record')[0] ?? '',
    /** What holds now, on a node's page. */
    hero: (): string => textOf(hero()),
    /** Every message, whole. */
    messages: async (): Promise<readonly string[]> => {
      await press('.message-strip > button[aria-expanded=false]')
      return all('.banner').map(textOf)
    },
    tryNow: () => press('.banner button', messageTexts.tryNow),
    /** Whether the values are shown as of now. */
    isLive: (): boolean =>
      textOf(hero()).includes(nodeTexts.hero.lastAnswer) && hero()?.querySelector('.hero-state.old') === null,
    /** How old the values are, in seconds, where each of them is shown as old; else what is wrong with that. */
    oldFor: (): number | string => {
      const values = all('.strip-chart .row-head-value')
      if (hero()?.querySelector('.hero-state.old') === null) return 'the state is shown as of now'
      if (values.length === 0 || values.some((one) => !one.classList.contains('old')))
        return 'a measurement is shown as of now'
      if (!textOf(hero()).includes(nodeTexts.hero.notKnownNow))
        return 'it is not said that nothing is known now'
      const age = agoInSeconds(/as of .*? ago/.exec(textOf(hero()))?.[0] ?? '')
      return Number.isNaN(age) ? 'no age' : age
    },
    /** In a table of nodes, whether the one of this name is shown as of now; undefined without a row. */
    isRowLive: (name: string): boolean | undefined => {
      const row = all('[role=row]').find((one) => textOf(one.querySelector('a')) === name)
      if (row === undefined) return undefined
      const isOld = row.querySelector('.old') !== null
      if (isOld !== /\d\s[dhms] old/.test(textOf(row))) throw new Error(`${name} is old, and it is not said`)
      return !isOld
    },
    /** Parts that were not drawn, or that there is nothing on the page. */
    blank: (): readonly string[] => {
      const { title, rootTitle, missingTitle } = boundaryTexts
      const failed = [title, rootTitle, missingTitle].filter((one) => textOf(page).includes(one))
      const isEmpty = main().length < LEAST_CHARS || page.querySelector('main :is(h1, h2)') === null
      return isEmpty ? [...failed, 'a blank page'] : failed
    },
  }
}
