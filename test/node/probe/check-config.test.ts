import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { systemClock } from '#platform/system-clock.ts'
import { CHECK_COMMAND, checkConfig, findingsOf } from '#probe/check-config.ts'
import { runParsed } from '#node/command-line.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { runReference } from '#test/node/reference/running.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const WORLD = { platform: process.platform, env: { PUSHOVER_TOKEN: 'a'.repeat(30) } }
const NODE = { id: '0x01', tags: ['eu'] }
const SERVICE = { baseUrl: 'https://node.example' }
const OVER = { id: 'm', scope: { for: 'all' }, when: { kind: 'once', fromMs: 1, toMs: 2 } }
const rule = (scope: object) => ({ id: 'r', scope, condition: { metric: 'stake', test: 'changed' } })

const found = (document: unknown) =>
  findingsOf(JSON.stringify(document), NOW_MS, WORLD).findings.map(
    ({ severity, path }) => `${severity} ${path}`,
  )

describe('a configuration file', () => {
  it.each([
    ['{\n  "version": 1,\n  "nodes": [,]\n}', 3, 13, ''],
    ['{ "version": 1 } // mine', 1, 18, ''],
    ['', 1, 1, ''],
    ['[]', 1, 1, 'version'],
    ['{\n  "version": 1,\n\t"services": [{ "baseUrl": "ftp://a" }] }', 3, 28, 'services.0.baseUrl'],
    ['{ "version": 1, "services": [{}] }', 1, 30, 'services.0.baseUrl'],
    ['{ "version": 1, "nodes": [{ "nme": "x" }] }', 1, 36, 'nodes.0.nme'],
    ['{ "version": 1, "services": [{ "baseUrl": "https://a/node/status" }] }', 1, 43, 'services.0.baseUrl'],
    ['{ "version": 1, "nodes": [{ "service": "https://a" }] }', 1, 40, 'nodes.0.service'],
  ])('%j has an error in line %i, column %i', (content, line, column, path) => {
    expect(findingsOf(content, NOW_MS, WORLD)).toMatchObject({
      file: undefined,
      findings: [{ severity: 'error', line, column, path }],
    })
  })

  it.each([
    [
      { services: [SERVICE], nodes: [NODE], rules: [{ for: 'tag', tag: 'eu', limits: { stakeBelow: '1' } }] },
      [],
    ],
    [{ services: [SERVICE], nodes: [NODE, NODE] }, ['warning nodes.1']],
    [{ services: [SERVICE], nodes: [NODE, { ...NODE, service: SERVICE.baseUrl }] }, ['warning nodes.1']],
    [{ rules: [{ for: 'tag', tag: 'eu' }] }, ['warning rules.0']],
    [{ rules: [{ for: 'tag', tag: 'us', limits: { stakeBelow: '1' } }] }, ['warning rules.0']],
    [{ alarms: { rules: [rule({ for: 'tag', tag: 'us' })] } }, ['warning alarms.rules.0.scope']],
    [
      {
        services: [SERVICE],
        alarms: { rules: [rule({ for: 'node', service: SERVICE.baseUrl, node: '0x01' })] },
      },
      ['warning alarms.rules.0.scope'],
    ],
    [{ alarms: { maintenance: [OVER] } }, ['warning alarms.maintenance.0']],
    [{ alarms: { maintenance: [{ ...OVER, when: { kind: 'once', fromMs: 1, toMs: NOW_MS + 1 } }] } }, []],
    [
      {
        alarms: {
          builtIn: [
            { rule: 'unreachable', scope: { for: 'all' } },
            { rule: 'unreachable', scope: { for: 'tag', tag: 'us' }, off: true },
            { rule: 'rejected', scope: { for: 'all' }, forMs: 0 },
          ],
        },
      },
      ['warning alarms.builtIn.0', 'warning alarms.builtIn.1'],
    ],
    [
      {
        services: [SERVICE],
        nodes: [NODE],
        receivers: [
          {
            kind: 'webhook',
            url: 'https://hook.example/x',
            routing: { tags: ['eu', 'us'], services: [`${SERVICE.baseUrl}/`, 'https://other.example'] },
          },
        ],
      },
      ['warning receivers.0.routing.tags.1', 'warning receivers.0.routing.services.1'],
    ],
  ])('%j has %j', (document, expected) => {
    expect(found({ version: 1, ...document })).toEqual(expected)
  })

  it.each([
    [undefined, true, ['receivers']],
    [undefined, false, []],
    [[{ kind: 'pushover', token: 'env:PUSHOVER_TOKEN', user: 'env:PUSHOVER_USER' }], true, ['receivers.0']],
    [[{ kind: 'webhook', url: 'https://hook.example/x' }], true, []],
  ])('with receivers %j and --notify %s has warnings at %j', (receivers, isForNotify, expected) => {
    const { findings } = findingsOf(JSON.stringify({ version: 1, receivers }), NOW_MS, WORLD, isForNotify)
    expect(findings.map(({ path }) => path)).toEqual(expected)
  })

  it('may be a settings export, with warnings for the settings of one browser, which it ignores', () => {
    const exported = { ...EMPTY_SETTINGS, services: [{ ...SERVICE, key: 'a'.repeat(64) }] }
    const { file, findings } = findingsOf(JSON.stringify(exported, undefined, 2), NOW_MS, WORLD)
    expect(file?.config.services[0]?.baseUrl).toBe(SERVICE.baseUrl)
    expect(findings.map(({ path }) => path).toSorted()).toEqual(['display', 'history'])
    expect(file?.config).not.toHaveProperty('display')
  })
})

describe('check', () => {
  async function check(document: unknown, ...argv: readonly string[]) {
    const folder = temporaryFolder()
    const config = join(folder, 'config.json')
    writeFileSync(config, JSON.stringify(document))
    const lines: string[] = []
    const say = (line: string) => void lines.push(line.replaceAll(folder, ''))
    const ports = { out: say, err: say, clock: systemClock, platform: process.platform, env: {} }
    const all = ['--config', config, ...argv]
    const code = await runParsed(CHECK_COMMAND, all, ports, (given) => checkConfig(given, ports))
    return { code, lines }
  }

  it('prints problems as file:line:column and exits with 1 for errors only', async () => {
    expect(await check({ version: 1, services: [SERVICE, SERVICE] })).toEqual({
      code: 1,
      lines: [
        '/config.json:1:72: error: services.1.baseUrl: is listed twice.',
        '/config.json: 1 error, 0 warnings.',
      ],
    })
    const { code, lines } = await check({ version: 1, services: [SERVICE], nodes: [NODE, NODE] }, '--json')
    expect([code, JSON.parse(lines.join(''))]).toMatchObject([
      0,
      { ok: true, findings: [{ severity: 'warning' }] },
    ])
  })

  it('tests the connection to each service with --probe', async () => {
    const { baseUrl } = await runReference({ nodes: 1 })
    const services = [{ baseUrl }, { baseUrl: 'http://127.0.0.1:9' }]
    const { code, lines } = await check({ version: 1, services }, '--probe')
    expect(code).toBe(1)
    expect(lines[0]).toMatch(/^ok {4}http/)
    expect(lines[1]).toMatch(/^FAIL {2}http:\/\/127\.0\.0\.1:9: /)
  })
})
