import { act, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { EngineApi } from '#engine/bridge.ts'
import { FAILURES, type FailureKind, type PollFailure } from '#protocol/failure.ts'
import { serviceIdOf } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import type { NodeLive, Round } from '#fleet/live.ts'
import { nodePath, SIGN_IN_PATH } from '#react/routes.ts'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import {
  A_KEY,
  fakeDashboard,
  NO_SERVER,
  renderWith,
  type FakeOptions,
} from '#test/support/fake-dashboard.tsx'
import {
  aFailingNode,
  aNode,
  anEpisode,
  BASE_URL,
  aReading,
  aService,
  aServiceLive,
  aSnapshot,
  NODE_ID,
  NOW_MS,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'
import { read, textsOf } from '#test/support/texts-of.ts'
import { Shell } from '#features/shell/shell.tsx'
import { keyTexts } from '#texts/en-keys.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { reloadTexts } from '#texts/en-reload.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { watchTexts } from '#texts/en-watch.ts'
import { createStore } from '#base/store.ts'
import type { Dashboard, ServerWatch } from '#react/dashboard.ts'

const EVERY_FAILURE: Readonly<Record<FailureKind, PollFailure>> = {
  'node-id-invalid': { kind: 'node-id-invalid', answer: 'not lower case' },
  unauthorized: { kind: 'unauthorized', answer: 'invalid signature' },
  forbidden: { kind: 'forbidden' },
  'node-unknown': { kind: 'node-unknown' },
  'rate-limited': { kind: 'rate-limited', retryAfterMs: 60_000 },
  'server-error': { kind: 'server-error', status: 503 },
  'unexpected-status': { kind: 'unexpected-status', status: 204 },
  redirected: { kind: 'redirected' },
  unreachable: { kind: 'unreachable', hop: 'service', detail: 'refused' },
  timeout: { kind: 'timeout', afterMs: 10_000, hop: 'service' },
  'cut-off': { kind: 'cut-off', hop: 'service' },
  'mixed-content': { kind: 'mixed-content' },
  offline: { kind: 'offline' },
  'not-json': { kind: 'not-json', problem: 'web-page' },
  'too-large': { kind: 'too-large', limitBytes: 65_536 },
  'not-a-record': { kind: 'not-a-record', fields: [] },
  repeated: { kind: 'repeated' },
  'wrong-node': { kind: 'wrong-node', asked: NODE_ID, answered: '0x90ee0b6a' },
  'signed-out': { kind: 'signed-out' },
  'no-key': { kind: 'no-key' },
  'no-token': { kind: 'no-token' },
  'key-locked': { kind: 'key-locked' },
  'signer-failed': { kind: 'signer-failed', reason: 'no-answer' },
}

/** The actions of a message in order: a button as its text, a link as its text and href. */
const offersOf = (banner: HTMLElement): readonly unknown[] =>
  Array.from(banner.querySelectorAll('button, a'), (one) =>
    one instanceof HTMLAnchorElement ? [one.textContent, one.getAttribute('href')] : one.textContent,
  )

/** Renders the shell with all messages expanded. */
function renderOpen(options: FakeOptions, path?: string) {
  const dashboard = fakeDashboard(options)
  const rendered = renderWith(dashboard, <Shell>page</Shell>, path)
  const toggle = rendered.container.querySelector('.message-strip > button')
  if (toggle !== null) fireEvent.click(toggle)
  return { ...rendered, dashboard }
}

const renderFailing = (failure: PollFailure) => renderOpen({ snapshot: aSnapshot([aFailingNode(failure)]) })

beforeAll(async () => {
  // The message list is a lazy chunk; once it is loaded, later tests render it synchronously.
  const { unmount } = renderFailing({ kind: 'timeout', afterMs: 10_000, hop: 'service' })
  await screen.findByRole('button', { name: 'Try now' })
  unmount()
})

it.each([
  [false, reloadTexts.newVersionLocked],
  [true, reloadTexts.newVersionText],
])('the new-version message says if a reload would lose a vault key (locked: %s)', (locked, text) => {
  renderOpen({ keys: [{ ...A_KEY, custody: 'vault', locked }], health: { isOldVersion: true } })
  expect(screen.getByText(text)).toBeDefined()
})

describe('a failing service', () => {
  it.each(Object.values(EVERY_FAILURE))(
    'shows one message for $kind with its code, start time and explanation',
    (failure) => {
      renderFailing(failure)
      const banners = within(screen.getByRole('main')).getAllByRole('region')
      expect(banners).toHaveLength(1)
      const text = read(banners[0]?.textContent ?? null)
      const code = failure.kind === 'server-error' ? 'service/503' : FAILURES[failure.kind].code
      expect(text).toContain(code)
      expect(text).toContain('since 13:56:23, 25 failed polls')
      expect(text).not.toMatch(/undefined|NaN|\[object|!/)
      expect(banners[0]?.querySelector('p')?.textContent?.length).toBeGreaterThan(60)
    },
  )

  it('has at most four of its nodes polled again by “Try now”', async () => {
    const nodes = Array.from({ length: 9 }, (_, place) =>
      aFailingNode({ kind: 'server-error', status: 503 }, { nodeId: `0x0${place}` }),
    )
    const pollNow = vi.fn<EngineApi['pollNow']>(async () => {})
    renderOpen({ snapshot: aSnapshot(nodes), engine: { pollNow } })
    await userEvent.click(screen.getByRole('button', { name: 'Try now' }))
    expect(pollNow.mock.calls).toEqual(nodes.slice(0, 4).map((node) => [node.key]))
    expect(screen.getByText('all 9 nodes of api.immune.example')).toBeDefined()
  })

  const { 'server-error': down, timeout: hung, 'cut-off': cutOff } = EVERY_FAILURE
  it.each([
    [down, 'answers with HTTP 503 for', 'api.immune.example answers with HTTP 503'],
    [hung, 'about', 'Answers from api.immune.example take longer than 10 s'],
    [cutOff, 'about', 'Answers from api.immune.example are incomplete'],
  ] as const)(
    'with %j is named alone when all nodes fail, and with the failing nodes otherwise',
    (failure, some, all) => {
      const well = (place: number) => aNode({ nodeId: `0x1${place}` })
      const failing = (place: number) =>
        aFailingNode(failure, { name: `bad-${place}`, nodeId: `0x0${place}` })
      const titleOf = (...nodes: readonly NodeLive[]) => {
        const { unmount } = renderOpen({ snapshot: aSnapshot(nodes) })
        const title = read(within(screen.getByRole('main')).getByRole('heading').textContent)
        unmount()
        return title
      }
      const three = [well(0), well(1), well(2)]
      expect(titleOf(failing(0), failing(1))).toBe(all)
      expect(titleOf(failing(0), ...three)).toContain(`${some} bad-0`)
      expect(titleOf(failing(0), failing(1), ...three)).toContain(`${some} 2 of its nodes`)
    },
  )

  it('quotes the answer for one named node, and on a node page the answer for that node', () => {
    const refused = (name: string, answer: string, lastedMs: number) =>
      aFailingNode(
        { kind: 'unauthorized', answer },
        {
          name,
          nodeId: `0x${name}`,
          episode: anEpisode({ kind: 'unauthorized', answer }, lastedMs),
        },
      )
    const nodes = [refused('a1', 'request 6', 9_000), refused('a2', 'request 7', 3_000)]
    const text = () => read(within(screen.getByRole('main')).getByRole('region').textContent)
    const [first] = nodes
    const snapshot = aSnapshot(nodes)
    const table = renderOpen({ snapshot })
    expect(text()).toContain('from a2; other nodes’ details may differ')
    expect(text()).toContain('“request 7”')
    table.unmount()
    renderOpen({ snapshot }, nodePath(first?.key ?? aNode().key))
    expect(text()).not.toContain('as seen at')
    expect(text()).toContain('“request 6”')
    expect(text()).toContain('all 2 nodes of')
  })

  it('offers to copy the newest public key, and resets the button label on blur', async () => {
    const user = userEvent.setup()
    const keys = [{ ...A_KEY, publicKey: `01${A_KEY.publicKey.slice(2)}` }, A_KEY]
    renderOpen({ snapshot: aSnapshot([aFailingNode({ kind: 'unauthorized' })]), keys })
    vi.stubGlobal('isSecureContext', true)
    await user.click(screen.getByRole('button', { name: 'Copy public key' }))
    expect(await navigator.clipboard.readText()).toBe(A_KEY.publicKey)
    const button = await screen.findByRole('button', { name: messageTexts.copied })
    act(() => button.blur())
    expect(button.textContent).toBe(messageTexts.copyKey)
  })

  const SIGNING = ['Signing profile', `#/settings/signing?for=${encodeURIComponent(BASE_URL)}`]

  it.each([
    ['encoding', [SIGNING, 'Copy public key', 'Try now']],
    ['message', [SIGNING, 'Copy public key', 'Try now']],
    ['header-stripped', ['Try now', SIGNING]],
    ['in-front', ['Try now', SIGNING]],
    ['clock', ['Try now', SIGNING]],
    ['key-not-registered', ['Copy public key', SIGNING, 'Try now']],
    [undefined, ['Copy public key', SIGNING, 'Try now']],
  ] as const)('that rejects signatures offers the fix for the likely cause first: %s', (likely, offered) => {
    const diagnosed = likely && {
      look: 'auth/401',
      diagnosis: { likely: [likely] as const, clues: [] },
    }
    const snapshot = aSnapshot(
      [aFailingNode({ kind: 'unauthorized' })],
      [aServiceLive(aService(), { diagnosed })],
    )
    renderOpen({ snapshot, keys: [A_KEY] })
    const banner = within(screen.getByRole('main')).getByRole('region')
    expect(offersOf(banner)).toEqual([...offered, 'Copy report'])
  })

  it.each<[PollFailure, readonly unknown[]]>([
    [{ kind: 'forbidden' }, ['Copy public key', ['Keys', '#/settings/key'], 'Try now', 'Copy report']],
    [{ kind: 'no-key' }, [['Keys', '#/settings/key']]],
    [{ kind: 'key-locked' }, [keyTexts.unlock.open, ['Keys', '#/settings/key']]],
    [{ kind: 'no-token' }, [[messageTexts.giveToken, SIGNING[1]]]],
    [{ kind: 'mixed-content' }, [['Open settings', '#/settings']]],
    [{ kind: 'signed-out' }, [[messageTexts.signIn, SIGN_IN_PATH]]],
  ])('offers the fix first for %j', (failure, offered) => {
    const snapshot = aSnapshot([aFailingNode(failure)])
    renderOpen({ snapshot, keys: [{ ...A_KEY, custody: 'vault', locked: true }] })
    const banner = within(screen.getByRole('main')).getByRole('region')
    expect(offersOf(banner)).toEqual(expect.arrayContaining([...offered]))
    expect(offersOf(banner)[0]).toEqual(offered[0])
  })

  it('shows the start time of its active alarm if that is earlier than its first failed poll', () => {
    const sinceWallMs = WALL_MS - 3_600_000
    const shown = (alarm: Parameters<typeof anAlarm>[0], agoMs = 3_700_000): string => {
      const snapshot = aSnapshot([aFailingNode(EVERY_FAILURE.unreachable, { reading: aReading({ agoMs }) })])
      const alarms = anAlarmsView([anAlarm({ kind: 'unreachable', sinceWallMs, ...alarm })])
      const { unmount } = renderOpen({ snapshot, alarms })
      const text = read(screen.getByRole('main').textContent)
      unmount()
      return /since [\d:]+/.exec(text)?.[0] ?? ''
    }
    const { serviceId } = aNode()
    expect(shown({ subject: { kind: 'service', serviceId } })).toBe('since 13:02:35')
    expect(shown({ subject: { kind: 'node', node: aNode().key, serviceId } })).toBe('since 13:02:35')
    expect(shown({ phase: 'cleared' })).toBe('since 13:56:23')
    expect(shown({ kind: 'heartbeat-old' })).toBe('since 13:56:23')
    expect(shown({ subject: { kind: 'node', node: aNode({ nodeId: '0x9' }).key, serviceId } })).toBe(
      'since 13:56:23',
    )
    expect(shown({ sinceWallMs: WALL_MS })).toBe('since 13:56:23')
    // The node answered after the alarm began, so the alarm is of an earlier outage.
    expect(shown({ subject: { kind: 'service', serviceId } }, 372_000)).toBe('since 13:56:23')
  })

  it('counts down to the next try and then shows that it is trying', () => {
    const { dashboard } = renderFailing({ kind: 'server-error', status: 503 })
    const banner = within(screen.getByRole('main')).getByRole('region')
    expect(read(banner.textContent)).toContain('next try in 9 s')
    dashboard.advance(4_000)
    expect(read(banner.textContent)).toContain('next try in 5 s')
    dashboard.advance(6_000)
    expect(read(banner.textContent)).toContain('trying now')
  })

  it('is announced once, and not again when only its countdown changes', () => {
    const { dashboard } = renderFailing({ kind: 'unauthorized' })
    const loud = screen.getByRole('alert')
    expect(loud.textContent).toBe('Signature rejected (401)')
    const said = loud.firstChild
    dashboard.advance(2_000)
    expect(screen.getByRole('alert').firstChild).toBe(said)
  })

  it('lists the exact CORS headers to send when a direct connection fails', () => {
    const service = aService({ via: 'direct' })
    const failing = aFailingNode({ kind: 'unreachable', hop: 'service' })
    renderOpen({ snapshot: aSnapshot([failing], [aServiceLive(service)]) })
    const text = within(screen.getByRole('main')).getByRole('region').textContent
    expect(text).toContain(`Access-Control-Allow-Origin: ${window.location.origin}`)
    expect(text).toContain('Access-Control-Allow-Headers: Authorization')
    expect(text).toContain('does not allow this page (CORS)')
    const link = screen.getByRole('link', { name: messageTexts.openInTab })
    expect(link.getAttribute('href')).toBe(service.baseUrl)
    expect(link.getAttribute('rel')).toContain('noopener')
  })

  it.each([
    ['refused', 'refuses connections'],
    ['dns', 'Host name'],
    ['tls', 'Certificate'],
    ['reset', 'drops the connection'],
    ['not-allowed', 'not allowed'],
  ] as const)('behind the proxy shows what the proxy reported: %s', (detail, words) => {
    renderFailing({ kind: 'unreachable', hop: 'service', detail })
    expect(within(screen.getByRole('main')).getByRole('heading').textContent).toContain(words)
  })

  it('shows hidden characters in its answer as code points', () => {
    renderFailing({ kind: 'unauthorized', answer: 'no\u202Eesrever' })
    expect(within(screen.getByRole('main')).getByRole('region').textContent).toContain('no⟨U+202E⟩esrever')
  })
})

describe('messages', () => {
  it('on a node page include that node’s and the tab’s own, and exclude other nodes’', () => {
    const mine = aNode()
    const other = aNode({
      nodeId: '0x0b',
      name: 'other',
      episode: anEpisode({ kind: 'node-unknown' }),
    })
    const gaps = [{ fromWallMs: WALL_MS - 120_000, toWallMs: WALL_MS - 60_000, reason: 'asleep' as const }]
    const snapshot = aSnapshot([mine, other], [aServiceLive()], { gaps })
    const first = renderOpen({ snapshot }, nodePath(mine.key))
    const titles = textsOf(within(screen.getByRole('main')).getAllByRole('heading'))
    expect(titles).toEqual(['Not watched from 14:00:35 to 14:01:35'])
    first.unmount()
    renderOpen({ snapshot }, nodePath(other.key))
    expect(screen.getByRole('heading', { name: 'Node other not found (404)' })).toBeDefined()
  })

  const failingServices = (count: number) => {
    const services = Array.from({ length: count }, (_, place) =>
      aService({ baseUrl: `https://s${place}.example` }),
    )
    const nodes = services.map((service, place) => {
      const serviceId = serviceIdOf(service.baseUrl)
      const failure: PollFailure =
        place === count - 1 ? { kind: 'redirected' } : { kind: 'server-error', status: 500 }
      return aFailingNode(failure, { serviceId })
    })
    return aSnapshot(
      nodes,
      services.map((service) => aServiceLive(service)),
    )
  }
  const shown = () =>
    within(screen.getByRole('group', { name: shellTexts.messages })).queryAllByRole('region')

  it('are limited to three one-line items until expanded, and collapse on Escape', async () => {
    renderWith(fakeDashboard({ snapshot: failingServices(8) }), <Shell>page</Shell>)
    expect(shown()).toHaveLength(3)
    expect(shown().some((one) => one.querySelector('p, details') !== null)).toBe(false)
    const toggle = screen.getByRole('button', { name: shellTexts.allMessages(8) })
    expect(toggle.getAttribute('aria-expanded')).toBe('false')
    await userEvent.click(toggle)
    expect(shown()).toHaveLength(8)
    expect(shown().every((one) => one.querySelector('p') !== null)).toBe(true)
    await userEvent.keyboard('{Escape}')
    expect(shown()).toHaveLength(3)
    expect(document.activeElement).toBe(toggle)
  })

  it('are sorted worst first, and on a node page limited to those that affect the node', () => {
    const snapshot = failingServices(4)
    const { unmount } = renderWith(fakeDashboard({ snapshot }), <Shell>page</Shell>)
    const levels = shown().map((one) =>
      ['critical', 'warning'].find((level) => one.classList.contains(level)),
    )
    expect(levels).toEqual(levels.toSorted((a = '', b = '') => a.localeCompare(b)))
    unmount()
    const [first] = snapshot.nodes.keys()
    renderWith(fakeDashboard({ snapshot }), <Shell>page</Shell>, nodePath(first ?? aNode().key))
    expect(shown()).toHaveLength(1)
  })

  it('are hidden once their alarm is acknowledged, unless all messages are expanded', async () => {
    const snapshot = failingServices(3)
    const [first] = snapshot.services.keys()
    const alarm = anAlarm({
      id: 'unreachable service',
      kind: 'unreachable',
      subject: { kind: 'service', serviceId: first ?? serviceIdOf(BASE_URL) },
      acknowledged: { wallMs: WALL_MS },
    })
    renderWith(fakeDashboard({ snapshot, alarms: anAlarmsView([alarm]) }), <Shell>page</Shell>)
    expect(shown()).toHaveLength(2)
    await userEvent.click(screen.getByRole('button', { name: shellTexts.allMessages(3) }))
    expect(shown()).toHaveLength(3)
  })

  it.each([
    [{ fields: { status: 'DRAINING' } }, 'Unknown status DRAINING: set what it means', 'data/status'],
    [{ fields: { last_heartbeat: undefined } }, 'last_heartbeat is missing', 'data/field'],
    [{ fields: { cryptographic_proof: 5, stake_deployed: '1' } }, '2 fields can’t be used', 'data/field'],
    [{ fields: { network_participation: 250 } }, 'Participation is out of range', 'data/unit'],
    [
      { fields: { last_heartbeat: WALL_MS / 1_000 + 250 } },
      'Heartbeat is 4 m 11 s in the future',
      'data/clock',
    ],
    [{ cachedForS: 90 }, 'A cache answers instead of the service', 'data/cached'],
  ])('report an unusual answer: %o', (reading, title, code) => {
    const snapshot = aSnapshot([aNode({ reading: aReading(reading) })])
    renderOpen({ snapshot })
    const banner = within(screen.getByRole('main')).getByRole('region')
    expect(read(within(banner).getByRole('heading').textContent)).toBe(title)
    expect(banner.textContent).toContain(code)
    expect(banner.textContent).not.toMatch(/undefined|NaN/)
  })

  it('estimate the clock offset from heartbeats when no service time is available', () => {
    const heartbeatOffset = { lowMs: 65_000, highMs: 81_000 }
    const service = aServiceLive(aService(), { offset: undefined, heartbeatOffset })
    renderOpen({ snapshot: aSnapshot([aNode()], [service]) })
    const text = read(within(screen.getByRole('main')).getByRole('region').textContent)
    expect(text).toContain('Clocks disagree by about 73 s')
    expect(text).toContain('this computer’s clock is about 73 s (± 8 s) behind those of the nodes of')
    expect(text).toContain('Signed requests may be rejected')
    expect(read(screen.getByText('clock offset').textContent)).toContain('± 8.00 s')
  })

  it.each([
    ['service', 'The clock of api.immune.example is 4 m 10 s fast'],
    ['computer', 'This computer’s clock is 4 m 10 s slow'],
    [undefined, 'Clocks disagree by 4 m 10 s'],
  ] as const)('blame no clock for rejected requests unless it was set: %s', (clockSet, title) => {
    const correction = { ms: 250_000, state: 'used' } as const
    const offset = { lowMs: 249_000, highMs: 251_000 }
    const service = aServiceLive(aService(), { offset, correction, ...(clockSet && { clockSet }) })
    renderOpen({ snapshot: aSnapshot([aNode()], [service]) })
    expect(read(within(screen.getByRole('main')).getByRole('heading').textContent)).toBe(title)
  })

  it('report a counter reset, a clock offset, and polling behind schedule', () => {
    const counter = { increase: 5, unwatched: 0, restarts: 1, lastRestartWallMs: WALL_MS - 60_000 }
    const service = aServiceLive(aService(), { offset: { lowMs: 249_000, highMs: 251_000 } })
    const ages = { heartbeat: { kind: 'uncertain', uncertaintyMs: 250_000, disagree: true } } as const
    const node = aNode({ counters: { threatResponses: counter }, reading: { ...aReading(), ages } })
    const snapshot = aSnapshot([node], [service], {
      behindMs: 40_000,
    })
    renderOpen({ snapshot })
    const titles = textsOf(within(screen.getByRole('main')).getAllByRole('heading')).map(read)
    expect(titles.toSorted()).toEqual([
      'Clocks disagree by 4 m 10 s',
      'Polling is behind schedule',
      'Threat responses reset',
    ])
    screen.getByText(/; if it is right, the clock of \S+ is fast\.$/)
    expect(screen.queryByText(/Ages are corrected/)).toBeNull()
  })

  it.each<[string, Partial<Round>, Service['via'], readonly string[]]>([
    [
      'answers fill all connections',
      {},
      'direct',
      [
        'Polling 5,000 nodes of a.example takes 62 s; the interval is 30 s.',
        'An answer takes 50 ms on average, with 4 requests in flight at a time.',
        'Set a poll interval of 1 m 9 s or more, watch fewer nodes, or watch some of the nodes through another address',
      ],
    ],
    ['the connections are shared', { inFlight: 2, isShared: true }, 'proxy', ['to the service directly']],
    [
      'a configured pace limits requests',
      { limit: 'pace', requests: 7_500 },
      'proxy',
      ['The limit is the pace set for the service.', 'Set a pace of 250 requests per second or more'],
    ],
    [
      'one answer takes longer than the interval',
      { limit: 'answers', nodes: 1, takesMs: 1_420, intervalMs: 1_000, answerMs: 1_420 },
      'proxy',
      [
        'Polling 1 node of a.example takes 1.5 s; the interval is 1 s.',
        'Set a poll interval of 2 s or more.',
      ],
    ],
  ])('explain with numbers why a poll round is slow: %s', (_why, given, via, told) => {
    const round: Round = {
      nodes: 5_000,
      requests: 5_000,
      takesMs: 62_300,
      intervalMs: 30_000,
      answerMs: 50,
      inFlight: 4,
      isShared: false,
      limit: 'in-flight',
      ...given,
    }
    const service = aServiceLive(aService({ baseUrl: 'https://a.example', via }), { round })
    renderOpen({ snapshot: aSnapshot([aNode({ serviceId: service.id })], [service]) })
    const text = read(within(screen.getByRole('main')).getByRole('region').textContent)
    for (const part of told) expect(text).toContain(part)
  })

  it.each([
    'unreadable',
    'partly-read',
    'newer',
    'no-storage',
    'not-saved',
    'config-unreadable',
    'config-refused',
    'view-only',
  ] as const)('report a settings problem and link to the settings: %s', (problem) => {
    renderOpen({ problem })
    expect(within(screen.getByRole('main')).getByRole('region').textContent?.length).toBeGreaterThan(60)
    expect(screen.getByRole('link', { name: 'Open settings' }).getAttribute('href')).toBe(
      '#/settings/document',
    )
  })

  it('disappear when their cause is resolved', () => {
    const { dashboard } = renderFailing({ kind: 'timeout', afterMs: 10_000, hop: 'service' })
    dashboard.show({ ...aSnapshot([aNode()]), revision: 2, nowMs: NOW_MS + 100 })
    expect(within(screen.getByRole('main')).queryByRole('region')).toBeNull()
  })
})

describe('a server watch', () => {
  it.each([
    ['does not answer', 31_000, 0, watchTexts.silent.unreachable],
    ['answers but has stopped evaluating', 0, 31_000, watchTexts.silent.stalled],
    ['answered and evaluated recently', 5_000, 1_000, undefined],
  ])('that %s is reported only after half a minute', (_what, unansweredMs, stalledMs, what) => {
    const snapshot = aSnapshot([])
    const report = {
      wallMs: WALL_MS,
      startedWallMs: WALL_MS - 90_000,
      evaluatedWallMs: WALL_MS - stalledMs,
      view: anAlarmsView([]),
      receivers: [],
    }
    const store = createStore<ServerWatch | undefined>({ report, heardMs: snapshot.nowMs - unansweredMs })
    renderOpen({ snapshot, serverWatch: { store } })
    const { unreachable, stalled } = watchTexts.silent
    const said = [unreachable, stalled].filter(({ title }) => screen.queryAllByText(title).length > 0)
    expect(said).toEqual(what === undefined ? [] : [what])
    if (what !== undefined) screen.getAllByText(new RegExp(what.what))
  })

  it('is read again 5 s after a failed read', async () => {
    const readWatch = vi.fn<Dashboard['serverWatch']['read']>(() => Promise.reject(new Error('down')))
    const { dashboard } = renderOpen({
      server: { ...NO_SERVER, watch: { version: 1 } },
      serverWatch: { read: readWatch },
    })
    for (const _ of [1, 2]) {
      await act(async () => readWatch.mockClear())
      await act(async () => dashboard.tick(5_000))
      expect(readWatch).toHaveBeenCalledOnce()
    }
  })
})
