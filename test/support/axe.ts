import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Level A and AA of WCAG 2.0, 2.1 and 2.2. */
export const WCAG_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * Accessibility problems of the page as it stands, one line each: rule, what it is, where.
 * An empty list means none. The checker goes in by evaluation, because the page's policy
 * (Trusted Types) forbids to add it as a script.
 */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const results = await page.evaluate<AxeResults, readonly string[]>(
    (tags) =>
      globalThis.axe.run(document, {
        runOnly: { type: 'tag', values: [...tags] },
        resultTypes: ['violations'],
      }),
    WCAG_TAGS,
  )
  return results.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
}

declare global {
  var axe: typeof import('axe-core')
}
