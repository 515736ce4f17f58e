import { describe, expect } from 'vitest'
import { faultRows } from './fault-rows.ts'
import { textOf } from './screen.ts'
import { lost, type Told } from './told.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'

const LATE = [
  /Answers from Test service about .+ take longer than 800 ms/,
  /Check the log of the service/,
] as const
const CUT = [/Answers from Test service about .+ are incomplete/, /a proxy/] as const
const DROPS = [/Test service drops the connection for /, /Check the log of the service/] as const
const ODD_STATUS = /Unexpected HTTP status/
const LOGS = /Check the log of the service/
const REDIRECTS = [/Test service answers with a redirect: .+requests for its other nodes/, LOGS] as const
const OPERATOR = /tell the service operator/
const RATE = /Rate limited \(429\)/

const LOST: readonly Told[] = [
  [3, 'reset', 'net/unreachable', ...DROPS],
  [4, 'hang', 'net/timeout', ...LATE],
  [5, 'headers-then-hang', 'net/timeout', ...LATE],
  [6, ['drip', 300], 'net/timeout', ...LATE],
  [7, ['late', 5_000], 'net/timeout', ...LATE],
  [8, 'truncated', 'net/cut-off', ...CUT],
  [8, 'reset-in-body', 'net/cut-off', ...CUT],
  [9, 'bad-chunk', 'net/cut-off', ...CUT],
  [9, 'bad-gzip', 'net/cut-off', /can’t be decompressed/, /Tell the service operator/],
  [10, 'not-http', 'net/unreachable', /Test service does not answer with valid HTTP for /, LOGS],
  [28, 'redirect-other', 'service/redirect', ...REDIRECTS],
  [29, 'redirect-loop', 'service/redirect', ...REDIRECTS],
  [29, 'redirect-login', 'service/redirect', ...REDIRECTS],
  [31, 'status-400', 'node/400', /Id of .+ rejected \(400\)/, /Check this id in the settings/],
  [34, 'status-403-html', 'auth/403', /Not permitted \(403\) for .+ only/, /Ask the operator/],
  [35, 'status-404', 'node/404', /Node .+ not found \(404\)/, /Compare this id/],
  [36, ['status-429', 4], 'service/429', RATE, /asks this dashboard to wait 4 s/],
  [
    36,
    ['status-429', 1e12],
    'service/429',
    RATE,
    /asks this dashboard to wait 1 h or more; the next poll is after 1 h/,
  ],
  [36, ['status-429-date', 4], 'service/429', RATE, /asks this dashboard to wait [34](\.\d)? s/],
  [36, 'status-429-bare', 'service/429', RATE, /did not say how long/],
  [36, ['status-429-bad', 'soon'], 'service/429', RATE, /did not say how long/],
  [37, 'status-500', 'service/500', /Test service answers with HTTP 500 for /, OPERATOR],
  [37, 'status-502', 'service/502', /Test service answers with HTTP 502 for /, OPERATOR],
  [37, ['status-503', 1], 'service/503', /Test service answers with HTTP 503 for /, OPERATOR],
  [38, 'status-204', 'service/status', ODD_STATUS, LOGS],
  [38, 'status-304', 'service/status', ODD_STATUS, LOGS],
  [38, 'empty', 'data/not-json', /not a status record/, /The body is empty/],
  [39, 'status-206', 'service/status', ODD_STATUS, LOGS],
  [39, 'status-599', 'service/599', /Test service answers with HTTP 599 for /, OPERATOR],
  [39, ['status', 999], 'net/unreachable', /answers with an invalid HTTP status/, LOGS],
]

/** The messages about the whole service, when every node gets this answer. */
const OF_ALL: readonly Told[] = [
  [4, 'hang', 'net/timeout', /Answers from Test service take longer than 800 ms/, /set a longer timeout/],
  [8, 'truncated', 'net/cut-off', /Answers from Test service are incomplete/, /a proxy/],
  [31, 'status-400', 'node/400', /Test service rejects every node id \(400\)/, /Check the base URL/],
  [35, 'status-404', 'node/404', /Test service knows none of these nodes \(404\)/, /Check the base URL/],
  [37, ['status-503', 1], 'service/503', /Test service answers with HTTP 503/, OPERATOR],
]

describe('through the dashboard’s server', () => {
  const rows = faultRows()
  lost(rows, LOST)
  lost(rows, OF_ALL, { meetsAll: true })
  const { row } = rows

  row(1, { meetsAll: true }, async ({ setAll, told, old }) => {
    await setAll('refused')
    const said = await told(/all 4 nodes of Test service/)
    expect(said).toMatch(/Test service refuses connections.*net\/unreachable/)
    expect(said).toMatch(/Start the service, or correct the port/)
    await old()
  })

  row(13, {}, async ({ page, set, clear, polls }) => {
    for (let turn = 0; turn < 4; turn++) {
      await set('status-500')
      await polls(1)
      expect(await page.messages()).toEqual([])
      await clear()
      await polls(1)
      expect(await page.messages()).toEqual([])
    }
    expect(page.isLive()).toBe(true)
  })

  row(16, {}, async ({ page, setOffline, polls }) => {
    await setOffline(true)
    await polls(3)
    expect(page.isLive()).toBe(true)
    expect(await page.messages()).toEqual([])
    await setOffline(false)
  })

  row(32, {}, async ({ node, set, told, old }) => {
    await set('status-401')
    // The message appears once another node has answered with the same key, which shows that the key is accepted.
    const said = await told(`Rejected (401) for ${node.name} only`)
    expect(said).toMatch(/accepts the key.*Ask the operator.*auth\/401/)
    await old()
  })

  row(33, { meetsAll: true }, async ({ page, setAll, told, old }) => {
    await setAll('status-401')
    const said = await told(/all 4 nodes of Test service/)
    expect(said).toMatch(/Signature rejected \(401\).*auth\/401/)
    expect(said).toMatch(/Copy public key/)
    expect(await page.messages()).toHaveLength(1)
    await old()
  })

  row(39, { of: '103 before the answer' }, async ({ page, set, polls }) => {
    await set('early-hints')
    await polls(2)
    expect(page.isLive()).toBe(true)
  })

  row(40, {}, async ({ page, set, told, old }) => {
    await set('error-hostile')
    const said = await told('service/500')
    expect(said.length).toBeLessThan(1_000)
    expect(said).not.toContain('\u202e')
    await old()
    await page.press('[role=tab]', nodeHistoryTexts.exchange.title)
    expect(page.all('[role=tabpanel]').map(textOf)).toEqual([expect.stringContaining('HTTP 500')])
  })

  row(30, {}, async ({ page, reference, nodes, setAll, told, clear, pass }) => {
    await setAll('hang')
    await told(/all 4 nodes of Test service/)
    await clear()
    reference.resetStats()
    const isWell = async () => page.isLive() && (await page.messages()).length === 0
    for (let passedMs = 0; passedMs < 6_000 && !(await isWell()); passedMs += 500) await pass(500)
    // Recovery needs no click, and no node gets more requests than usual.
    expect(await isWell()).toBe(true)
    const { byNode } = reference.stats()
    expect(Math.max(...nodes.map(({ id }) => byNode[id]?.requests ?? 0))).toBeLessThanOrEqual(5)
    await pass(2_000)
  })
})

describe('direct polls', () => {
  lost(
    faultRows({ via: 'direct' }),
    [
      [4, 'hang', 'net/timeout', ...LATE],
      [5, 'headers-then-hang', 'net/timeout', ...LATE],
      [6, ['drip', 300], 'net/timeout', ...LATE],
      [28, 'redirect-other', 'service/redirect', ...REDIRECTS],
      [35, 'status-404', 'node/404', /Node .+ not found \(404\)/, /Compare this id/],
      [37, 'status-500', 'service/500', /Test service answers with HTTP 500 for /, OPERATOR],
      [
        53,
        'html',
        'data/not-json',
        /not a status record/,
        /Web page instead of an answer|The body is a web page/,
      ],
    ],
    { how: 'directly' },
  )
})

describe('two services on a network that is down', () => {
  const { row } = faultRows({ via: 'direct', services: 2, nodes: 2 })
  for (const [number, fault, title, next] of [
    [17, 'refused', /No service can be reached/, /Check the network of this computer/],
    [18, 'html', /A captive portal answers/, /sign in to the network/],
  ] as const)
    row(number, { meetsAll: true }, async ({ page, references, told, old }) => {
      for (const { faults } of references) await faults.set('*', { name: fault })
      expect(await told(title)).toMatch(next)
      expect(await page.messages()).toHaveLength(1)
      await old()
    })
})

describe('a service whose answers take longer than the interval', () => {
  const { row } = faultRows({ nodes: 3, service: { timeoutMs: 4_000 } })
  row(7, {}, async ({ page, set, polls }) => {
    await set('late', 1_500)
    await polls(4)
    expect(page.isLive()).toBe(true)
    expect(page.hero()).toMatch(/in 1,5\d\d ms/)
  })
})

describe('several hung nodes', () => {
  const { row } = faultRows({ nodes: 8 })
  row(11, {}, async ({ reference, node, nodes, told, old }) => {
    for (const { id } of [node, ...nodes.slice(4)]) await reference.faults.set(id, { name: 'hang' })
    await told('net/timeout')
    await old()
    expect(await told('net/timeout')).toMatch(/5 nodes of/)
    await reference.faults.clear()
    await reference.faults.set(node.id, { name: 'hang' })
    await told(`about ${node.name}`)
  })
})
