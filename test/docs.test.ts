import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES } from '#protocol/failure.ts'
import { failureTables } from '#test/support/failure-table.ts'
import { formatted } from '#test/support/formatted.ts'

const PAGE = join(import.meta.dirname, '../src/core/protocol/README.md')

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const failures = table(
  ['kind', 'code', 'severity', 'scope', 'polled again'],
  Object.entries(FAILURES).map(([kind, { code, severity, scope, again }]) => [
    `\`${kind}\``,
    `\`${code}\``,
    severity,
    scope,
    again,
  ]),
)

const defaults = table(
  ['name', 'value'],
  Object.entries(DEFAULTS).map(([name, value]) => [`\`${name}\``, value.toLocaleString('en')]),
)

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
const withTable = (text: string, name: string, content: string) =>
  text.replace(
    new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
    (_, open: string, close: string) => `${open}\n${content}\n\n${close}`,
  )

const FAILURES_HEAD = `# What each failure looks like

Look up a message by its code. The tests produced every row. In each, the dashboard polls five nodes of one service every 15 s,
and all of them answer for a minute. Then one, two (“some”) or all of them fail for five minutes. “Shown after” and “old after”
are the times from the start of the failure until the message appears and until values look old. “Node polled” is the interval
between polls of the first failing node, and “any polled” that between polls of any failing node. “At the first poll” is the
same failure before any good answer. “During another outage” is the same failure 30 s after all nodes of a second service became
unreachable. These two columns say when the message appears, and what it says if that differs. A page on https never requests
plain http (\`net/mixed\`), so it polls such a service only through the dashboard server.

\`npm run docs\` writes this page.`
/** An https page never requests an http service, so this failure has no row. */
const SHOWN_ELSEWHERE = ['net/mixed']

describe('the documentation', () => {
  it('has the current tables of failures and defaults (update: npm run docs)', async () => {
    const page = withTable(withTable(readFileSync(PAGE, 'utf8'), 'failures', failures), 'defaults', defaults)
    expect(page).toContain('`inFlightPerHostMax`')
    expect(page).toContain('`auth/401`')
    await expect(await formatted(PAGE, page)).toMatchFileSnapshot(PAGE)
  })

  it('shows each failure’s message, its attribution and its poll times', async () => {
    const page = join(import.meta.dirname, '../docs/failures.md')
    const text = `${FAILURES_HEAD}\n\n${await failureTables()}\n`
    const codes = Object.values(FAILURES).map(({ code }) => code)
    for (const code of codes.filter((one) => !SHOWN_ELSEWHERE.includes(one)))
      expect(text.includes(code.replace('5xx', '500')), code).toBe(true)
    await expect(await formatted(page, text)).toMatchFileSnapshot(page)
  }, 600_000)

  it('names an existing test for each security property, or the reason why there is none', () => {
    const text = readFileSync(join(import.meta.dirname, '../SECURITY.md'), 'utf8')
    const entries = text.match(/^- [^]*?(?=\n(?:- |\n|$))/gm) ?? []
    const isThere = (path = '') =>
      ['ts', 'tsx'].some((end) => existsSync(join(import.meta.dirname, `${path}.test.${end}`)))
    const unshown = entries.filter((entry) => {
      const named = [...entry.matchAll(/`((?:[a-z0-9]+\/)+[a-z0-9-]+|supply-chain)`/g)]
      return named.length === 0 ? !entry.includes('No test:') : !named.every(([, path]) => isThere(path))
    })
    expect([entries.length > 40, unshown]).toEqual([true, []])
  })
})
