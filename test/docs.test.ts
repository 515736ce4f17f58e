import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES } from '#protocol/failure.ts'
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

describe('the documentation', () => {
  it('has the current tables of failures and defaults (update: npm run docs)', async () => {
    const page = withTable(withTable(readFileSync(PAGE, 'utf8'), 'failures', failures), 'defaults', defaults)
    expect(page).toContain('`inFlightPerHostMax`')
    expect(page).toContain('`auth/401`')
    await expect(await formatted(PAGE, page)).toMatchFileSnapshot(PAGE)
  })

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
