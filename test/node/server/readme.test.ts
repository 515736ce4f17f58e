import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseServerFile } from '#settings/documents.ts'
import { PROXY_FAILURES } from '#protocol/transport.ts'

const readme = readFileSync(join(import.meta.dirname, '../../../src/node/server/README.md'), 'utf8')

it('the README of the server has a valid configuration', () => {
  const [, example = ''] = /```json\n([^`]*"alarms"[^`]*)```/.exec(readme) ?? []
  const parsed = parseServerFile(JSON.parse(example))
  expect(parsed.ok ? [] : parsed.error).toEqual([])
})

it('the README of the server names every failure of the proxy', () => {
  for (const failure of PROXY_FAILURES) expect(readme).toContain(`\`${failure}\``)
})
