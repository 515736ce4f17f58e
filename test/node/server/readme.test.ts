import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROXY_FAILURES } from '#protocol/ports.ts'

const readme = readFileSync(join(import.meta.dirname, '../../../src/node/server/README.md'), 'utf8')

it('names every failure of the proxy', () => {
  for (const failure of PROXY_FAILURES) expect(readme).toContain(`\`${failure}\``)
})
