import { rename, rm, truncate, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { err } from '#base/result.ts'
import { openConfigFile } from '#server/config-file.ts'
import { valueOf } from '#test/support/value-of.ts'
import { ask, json } from './http-client.ts'
import { configFileWith, startTestServer, temporaryFolder } from './test-server.ts'

const SERVICE = { baseUrl: 'https://node.example' }

describe('a valid configuration file', () => {
  it('is served with every default filled in', async () => {
    const { opened } = await configFileWith({
      $schema: './config.schema.json',
      version: 1,
      services: [{ baseUrl: 'HTTPS://Node.Example:443/', label: 'Main' }],
      nodes: [
        { id: '0xaa', name: 'vela' },
        { service: 'https://node.example', id: '0xbb' },
      ],
    })
    const { url } = await startTestServer({ configFile: valueOf(opened), addServices: 'never' })
    const answer = await ask(url, '/config.json')
    expect(answer.headers['content-type']).toBe('application/json')
    expect(json(answer)).toMatchObject({
      version: 1,
      canAddServices: false,
      services: [{ baseUrl: 'https://node.example', label: 'Main', via: 'proxy', profile: 'bearer-v1' }],
      nodes: [{ id: '0xaa', name: 'vela' }, { id: '0xbb' }],
    })
    expect(json(answer)).not.toHaveProperty('demo')
  })

  it('may begin with a byte order mark, and has none elsewhere', async () => {
    expect((await configFileWith('\uFEFF{"version":1}')).opened.ok).toBe(true)
    expect((await configFileWith('{\uFEFF"version":1}')).opened.ok).toBe(false)
  })

  it('is UTF-8, or UTF-16 as written by Windows shells, and no other encoding', async () => {
    const { path, opened } = await configFileWith('{"version":1}')
    const file = valueOf(opened)
    const named = `\ufeff${JSON.stringify({ version: 1, services: [SERVICE], nodes: [{ id: '0x1', name: 'Zürich' }] })}`
    await writeFile(path, Buffer.from(named, 'utf16le'))
    expect(file.current().nodes).toMatchObject([{ name: 'Zürich' }])
    await writeFile(path, Buffer.from(named.slice(1), 'latin1'))
    expect(file.problems()).toEqual([expect.stringContaining('is not UTF-8 text')])
    expect(file.current().nodes).toMatchObject([{ name: 'Zürich' }])
  })

  it('cannot enable adding services if the command line disables it', async () => {
    const { opened } = await configFileWith({ version: 1, canAddServices: true })
    const { url } = await startTestServer({ configFile: valueOf(opened), addServices: 'never' })
    expect(json(await ask(url, '/config.json'))).toMatchObject({ canAddServices: false })
  })

  it('is not used if it is too large for a page, which is reported to pages and in the log', async () => {
    const { path, opened, reports } = await configFileWith({ version: 1, services: [SERVICE] })
    const file = valueOf(opened)
    const nodes = (notes: string) =>
      JSON.stringify({
        version: 1,
        services: [SERVICE],
        nodes: Array.from({ length: 4_300 }, (_, at) => ({ id: `0x${at.toString(16)}`, notes })),
      })
    await writeFile(path, nodes('n'.repeat(900)))
    expect([file.current().nodes.length, file.problems()]).toEqual([4_300, []])
    await writeFile(path, nodes('n'.repeat(2_000)))
    expect(file.current().nodes[0]?.notes).toHaveLength(900)
    expect(file.problems()).toEqual([
      expect.stringMatching(/^document: is too large for a page: \d+ characters/),
    ])
    expect(reports).toEqual([expect.stringContaining('last good configuration stays')])
  })

  it('is reloaded when replaced; an invalid version leaves the last valid one in use', async () => {
    const { path, opened, reports } = await configFileWith({ version: 1, services: [SERVICE] })
    const file = valueOf(opened)
    const replaceWith = async (text: string) => {
      await writeFile(`${path}.new`, text)
      await rename(`${path}.new`, path)
    }
    const labels = () => file.current().services.map(({ label }) => label)
    const { url } = await startTestServer({ configFile: file, addServices: 'never' })
    const told = async () => json(await ask(url, '/config.json'))
    expect(await told()).not.toHaveProperty('fileProblems')
    expect(labels()).toEqual([undefined])
    await replaceWith(JSON.stringify({ version: 1, services: [{ ...SERVICE, label: 'New' }] }))
    expect(labels()).toEqual(['New'])
    await replaceWith('{"version":1,"services":[{"baseUrl":"ftp://x"}]}')
    expect(labels()).toEqual(['New'])
    expect(labels()).toEqual(['New'])
    expect(reports).toHaveLength(1)
    // Pages get the problem without the path of the file.
    expect(await told()).toMatchObject({
      services: [{ label: 'New' }],
      fileProblems: [expect.stringMatching(/^services\.0\.baseUrl: is not/)],
    })
    expect(reports[0]).toContain('services.0.baseUrl')
    expect(reports[0]).toContain('last good configuration')
    for (const [text, line] of [
      ['{"version":1,"receivers":[hunter2]}', 'is not JSON: see the server’s log.'],
      ['{"version":1,"receivers":"hunter2"}', 'receivers: see the server’s log.'],
    ] as const) {
      await replaceWith(text)
      expect(await told()).toMatchObject({ fileProblems: [line] })
      reports.length = 1
    }
    await rm(path)
    expect(labels()).toEqual(['New'])
    expect(reports).toHaveLength(2)
    await replaceWith(JSON.stringify({ version: 1, services: [{ ...SERVICE, label: 'Back' }] }))
    expect(labels()).toEqual(['Back'])
    expect(await told()).not.toHaveProperty('fileProblems')
  })
})

const MAINTENANCE = { id: 'a', scope: { for: 'all' }, when: { kind: 'once', fromMs: 1, toMs: 2 } }
const ALARM_RULE = { id: 'moved', scope: { for: 'all' }, condition: { metric: 'stake', test: 'changed' } }

it('a changed file that is invalid is quoted in full in the log, and to pages except where a secret may be', async () => {
  const { path, opened, reports } = await configFileWith({ version: 1, services: [SERVICE] })
  const file = valueOf(opened)
  const toldBy = async (document: unknown) => {
    await writeFile(path, JSON.stringify(document))
    return file.problems()
  }
  expect(await toldBy({ version: 1, services: [SERVICE], queryApis: [{ url: 'ftp://hunter2' }] })).toEqual([
    'queryApis.0.url: see the server’s log.',
  ])
  expect(reports.at(-1)).toMatch(/queryApis\.0\.url: .+ The last good configuration stays in use\.$/)
  expect(
    await toldBy({ version: 1, services: [SERVICE], nodes: [{ service: 'https://b.example' }] }),
  ).toEqual(['nodes.0.service: is not the base URL of a listed service.'])
  // A field of that name elsewhere contains no receivers and so no secrets.
  expect(await toldBy({ version: 1, services: [{ ...SERVICE, receivers: 7 }] })).toEqual([
    expect.stringMatching(/^services\.0\.receivers: (?!the server)/),
  ])
  expect(await toldBy({ version: 1, services: [SERVICE] })).toEqual([])
  expect(file.receivers()).toEqual([])
  expect(file.queryApis()).toEqual([])
})

describe('an invalid configuration file', () => {
  const listed = (given: object) => ({ version: 1, services: [SERVICE], ...given })
  const DIRECT_IPV6 = [{ baseUrl: 'http://[::1]:8080', via: 'direct' }]
  const long = (name: string) => `https://${name}.example/${'a'.repeat(1_000)}`
  const OTHER = 'https://other.example'
  const READABLE = 'every visitor can read this file'
  const TWICE = [MAINTENANCE, { ...MAINTENANCE, id: 'b' }, MAINTENANCE]
  const cases: readonly [name: string, document: unknown, ...lines: readonly RegExp[]][] = [
    ['no JSON', '{"version":1,', /config\.json: is not JSON: /],
    ['no version', {}, /config\.json: version: /],
    ['a field that does not exist', { version: 1, service: [] }, /: service: /],
    [
      'two wrong fields',
      { version: 1, services: [{ baseUrl: '', pollIntervalMs: 1 }] },
      /services\.0\.baseUrl: is not the base URL/,
      /services\.0\.pollIntervalMs: /,
    ],
    ['a bad node id', listed({ nodes: [{ id: 'vela' }] }), /nodes\.0\.id: is not a node id/],
    [
      'a service listed twice',
      listed({ services: [SERVICE, { baseUrl: 'https://NODE.example/' }] }),
      /services\.1\.baseUrl: is listed twice/,
    ],
    [
      'more direct addresses than a policy can hold',
      listed({
        services: [{ baseUrl: 'https://a.example', via: 'direct' }],
        receivers: ['b', 'c', 'd'].map((name) => ({ kind: 'webhook', via: 'direct', url: long(name) })),
      }),
      /receivers\.2\.url: exceeds the 2560 characters.*"via": "relay", or a shorter address\.$/,
    ],
    [
      'a direct IPv6 address',
      { version: 1, services: DIRECT_IPV6 },
      /services\.0\.via: can’t be "direct" for an IPv6 address/,
    ],
    [
      'a node of a service while none is listed',
      { version: 1, nodes: [{ id: '0xaa', service: 'https://node.example' }] },
      /nodes\.0\.service: is not the base URL of a listed service\.$/,
    ],
    [
      'a node and no service',
      { version: 1, nodes: [{ id: '0xaa' }] },
      /nodes\.0\.service: is missing, and no service is listed/,
    ],
    [
      'secrets, at any level',
      {
        version: 1,
        privateKey: 'x',
        services: [{ ...SERVICE, key: '-----BEGIN PRIVATE KEY-----', apiToken: 't' }],
        nodes: [{ id: '0xaa', key: 'ab'.repeat(16) }],
        demo: { service: { ...SERVICE, password: 'hunter2' }, nodes: [] },
      },
      RegExp(`privateKey: ${READABLE}, so it must not contain keys or other secrets: remove the secret`),
      ...['services.0.key', 'services.0.apiToken', 'nodes.0.key', 'demo.service.password'].map((at) =>
        RegExp(`${at.replaceAll('.', '\\.')}: ${READABLE}`),
      ),
    ],
    [
      'an alarm rule on a metric that does not exist',
      {
        version: 1,
        alarms: { rules: [{ ...ALARM_RULE, condition: { metric: 'stakes', test: 'changed' } }] },
      },
      /alarms\.rules\.0\.condition\.metric: unknown metric "stakes"; known metrics: status, stake, /,
    ],
    [
      'a maintenance id listed twice',
      { version: 1, alarms: { maintenance: TWICE } },
      /alarms\.maintenance\.2\.id: is listed twice\.$/,
    ],
    [
      'invalid changes of built-in rules',
      {
        version: 1,
        alarms: {
          builtIn: [
            { rule: 'unreachable', scope: { for: 'tag', tag: 'test' }, off: true },
            { rule: 'unreachable', scope: { for: 'tag', tag: 'test' }, off: false },
            { rule: 'unreachible', scope: { for: 'all' }, off: true },
            { rule: 'blind', scope: { for: 'tag', tag: 'test' }, off: true },
            { rule: 'gap', scope: { for: 'service', service: 'https://other.example' }, off: true },
          ],
        },
      },
      /: alarms\.builtIn\.1\.scope: is listed twice\.$/,
      /: alarms\.builtIn\.4\.scope\.service: is not the base URL of a listed service\.$/,
      /: alarms\.builtIn\.2\.rule: unknown built-in rule "unreachible"; known rules: .*unreachable, /,
      /: alarms\.builtIn\.3\.scope\.for: must be all or service for "blind"\.$/,
      /: alarms\.builtIn\.4\.scope\.for: must be all for "gap"\.$/,
    ],
    [
      'alarm rules and views named twice',
      listed({
        alarms: { rules: [ALARM_RULE, ALARM_RULE] },
        views: ['', 'tag=eu'].map((query) => ({ name: 'EU', query })),
      }),
      /alarms\.rules\.1\.id: is listed twice/,
      /views\.1\.name: is listed twice/,
    ],
  ]
  it.each(cases)('%s: one line for each problem', async (_name, document, ...lines) => {
    const { opened } = await configFileWith(document)
    if (opened.ok) throw new Error('it was accepted')
    expect(opened.error).toHaveLength(lines.length)
    for (const [index, line] of lines.entries()) expect(opened.error[index]).toMatch(line)
  })

  it('is reported with every duplicate and every service that is not listed', async () => {
    const rule = (id: string, service: string) => ({ ...ALARM_RULE, id, scope: { for: 'service', service } })
    const { opened } = await configFileWith({
      version: 1,
      services: [SERVICE],
      nodes: [{ id: '0xaa' }, { id: '0xbb', service: SERVICE.baseUrl }, { id: '0xcc', service: OTHER }],
      rules: [
        { for: 'tag', tag: 'eu' },
        { for: 'node', service: OTHER, node: '0xaa' },
      ],
      queryApis: [
        { url: 'http://127.0.0.1:1', scrapeMs: 15_000, days: 1 },
        { url: 'http://127.0.0.1:1', scrapeMs: 15_000, days: 1, service: OTHER },
      ],
      alarms: { rules: [rule('a', SERVICE.baseUrl), rule('b', OTHER), rule('b', SERVICE.baseUrl)] },
    })
    expect(opened.ok ? [] : opened.error.map((line) => line.replace(/^.*config\.json: /, ''))).toEqual([
      'alarms.rules.2.id: is listed twice.',
      'nodes.2.service: is not the base URL of a listed service.',
      'rules.1.service: is not the base URL of a listed service.',
      'queryApis.1.service: is not the base URL of a listed service.',
      'alarms.rules.1.scope.service: is not the base URL of a listed service.',
    ])
  })

  it('is reported in at most 20 lines', async () => {
    const nodes = Array.from({ length: 30 }, () => ({ service: OTHER }))
    const { opened } = await configFileWith({ version: 1, services: [SERVICE], nodes })
    expect(opened.ok ? 0 : opened.error.length).toBe(20)
  })

  it('is larger than 16 MiB, or is a folder', async () => {
    const { path } = await configFileWith('{"version":1}')
    await truncate(path, 16 * 1_048_576 + 1)
    expect(openConfigFile(path, () => {})).toEqual(err([`${path}: is larger than 16777216 bytes.`]))
    await writeFile(path, '{"version":1}'.padEnd(16 * 1_048_576, ' '))
    expect(openConfigFile(path, () => {}).ok).toBe(true)
    const folder = await temporaryFolder()
    expect(openConfigFile(folder, () => {})).toEqual(err([`${folder}: can’t be read (EISDIR).`]))
  })
})
