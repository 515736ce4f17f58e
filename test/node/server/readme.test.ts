import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROXY_FAILURES } from '#protocol/ports.ts'
import {
  enginePolicy,
  fileHeaders,
  INERT_POLICY,
  PAGE_POLICY,
  SIGNER_POLICY,
} from '#server/security-headers.ts'

const readme = readFileSync(join(import.meta.dirname, '../../../src/node/server/README.md'), 'utf8')
const count = (text: string) => readme.split(`"${text}"`).length - 1

it.each([
  ['page', PAGE_POLICY],
  ['engine', enginePolicy(['https://node.example'])],
  ['signer', SIGNER_POLICY],
  ['rest', INERT_POLICY],
])('the %s policy for other servers is the one that this server sends', (_role, policy) =>
  expect(count(policy)).toBe(2),
)

it.each([
  ['Permissions-Policy', fileHeaders('page', [])['Permissions-Policy'] ?? 'none', 2],
  ['Strict-Transport-Security', 'max-age=31536000', 4],
])('%s for other servers is the one that this server sends', (_name, value, times) =>
  expect(count(value)).toBe(times),
)

it('names every failure of the proxy', () => {
  for (const failure of PROXY_FAILURES) expect(readme).toContain(`\`${failure}\``)
})
