import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FAILURES } from '#protocol/failure.ts'
import { failureTables } from '#test/support/failure-table.ts'
import { formatted } from '#test/support/formatted.ts'

const FAILURES_HEAD = `# What each failure looks like

Look up a message by its code. The tests produced every row. In each, the dashboard polls five nodes of one service every 15 s,
and all of them answer for a minute. Then one, two (“some”) or all of them fail for five minutes. “Shown after” and “old after”
are the times from the start of the failure until the message appears and until values look old. “Polled by” says \`proxy\` for
polls through the dashboard server, \`direct\` for polls from the browser, and \`either\` if both look the same. “Node polled” is the interval
between polls of the first failing node, and “any polled” the longest time without a poll of any failing node. “At the first poll” is the
same failure before any good answer. “During another outage” is the same failure 30 s after all nodes of a second service became
unreachable. These two columns say when the message appears, and what it says if that differs. A page on https requests
plain http only at a loopback address (\`net/mixed\`), so it polls any other http service only through the dashboard server.

\`npm run docs\` writes this page.`
/** An https page never sends the request, so this failure has no row. */
const SHOWN_ELSEWHERE = ['net/mixed']

it('the page of failures shows each one’s message, its attribution and its poll times', async () => {
  const page = join(import.meta.dirname, '../../docs/failures.md')
  const text = `${FAILURES_HEAD}\n\n${await failureTables()}\n`
  const codes = Object.values(FAILURES).map(({ code }) => code)
  for (const code of codes.filter((one) => !SHOWN_ELSEWHERE.includes(one)))
    expect(text.includes(code.replace('5xx', '500')), code).toBe(true)
  await expect(await formatted(page, text)).toMatchFileSnapshot(page)
}, 600_000)
