import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Level A and AA of WCAG 2.0, 2.1 and 2.2. */
const EVERY_RULE: RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
}
/** The rules that a colour scheme can break. */
const COLOUR_RULES: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

/**
 * Accessibility violations of the current page, one line each: rule, description, element. `colours` checks only
 * contrast, for a page that was already checked in another colour scheme. The checker is evaluated, because the page's
 * policy (Trusted Types) forbids adding it as a script.
 */
export async function axeViolations(
  page: Page,
  rules: 'all' | 'colours' = 'all',
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const results = await page.evaluate<AxeResults, RunOptions>(
    (options) => globalThis.axe.run(document, { ...options, resultTypes: ['violations'] }),
    rules === 'all' ? EVERY_RULE : COLOUR_RULES,
  )
  return results.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
}

declare global {
  var axe: typeof import('axe-core')
}
