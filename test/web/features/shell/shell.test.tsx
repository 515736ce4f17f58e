import { act, cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStore } from '#base/store.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import type { NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { nodePath } from '#react/routes.ts'
import { engineTexts } from '#texts/en-engine.ts'
import { shellTexts } from '#texts/en-shell.ts'
import {
  A_KEY,
  A_REPORT,
  fakeDashboard,
  renderWith,
  type FakeOptions,
} from '#test/support/fake-dashboard.tsx'
import {
  aFailingNode,
  anEpisode,
  aNode,
  aReading,
  aService,
  aServiceLive,
  aSnapshot,
  NOW_MS,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'
import { loadLateParts } from '#test/support/late-parts.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { read } from '#test/support/texts-of.ts'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { Shell } from '#features/shell/shell.tsx'
import { TabState } from '#features/shell/tab-state.tsx'
import { boundaryTexts } from '#texts/en-boundary.ts'
import { statusTexts } from '#texts/en-status.ts'

const status = (): string => read(screen.getByRole('contentinfo').textContent)
const named = (name: string, fields: Parameters<typeof aNode>[0] = {}) =>
  aNode({ nodeId: `0x${name}`, name, ...fields })

beforeAll(async () => {
  installDialog()
  await loadLateParts()
  // A lazy part renders synchronously only after its first render.
  renderWith(fakeDashboard(), <Shell>page</Shell>)
  await act(async () => undefined)
  cleanup()
})

describe('the status line', () => {
  const down = { kind: 'server-error', status: 503 } as const

  const waits = (kind: PollFailure['kind']) => [aFailingNode({ kind } as PollFailure)]
  const hung = (hop: 'proxy' | 'service') => [aFailingNode({ kind: 'timeout', afterMs: 10_000, hop })]
  const missed = (failure: PollFailure, misses = 1) =>
    named('a2', { episode: anEpisode(failure, 5_000, misses) })
  const notAllowed = { kind: 'signer-failed', reason: 'key-not-allowed' } as const
  const words = shellTexts.status

  it.each<[string, NodeLive[] | FakeOptions, string]>([
    ['all nodes answer', {}, 'Live'],
    ['one current node missed a poll', [named('a1'), missed(down)], 'Live, last poll failed for 1 of 2'],
    [
      'one is outdated and one missed a poll',
      [named('a1'), aFailingNode(down), missed(down)],
      '1 of 3 without data',
    ],
    ['some nodes fail', [named('a1'), aFailingNode(down)], '1 of 2 without data'],
    [
      'a reading is outdated although no poll failed',
      [named('a1'), named('a2', { reading: aReading({ agoMs: 60_000 }) })],
      '1 of 2 without data',
    ],
    ['all nodes fail', [aFailingNode(down)], 'Waiting for the service'],
    ['the dashboard’s own server hangs', hung('proxy'), words.ownServer],
    ['the service does not answer the dashboard’s server', hung('service'), words.waiting],
    [
      'the computer is offline',
      { snapshot: aSnapshot(waits('offline'), [aServiceLive()], { offline: true }) },
      'This computer is offline',
    ],
    ['no node has answered yet', [aNode({ reading: undefined })], 'Waiting for the first answers'],
    [
      'every key is locked although no poll has failed yet',
      { keys: [{ ...A_KEY, custody: 'vault', locked: true }] },
      words.locked,
    ],
    ['every node waits for a locked key', waits('key-locked'), words.locked],
    [
      'one of two nodes waits for a locked key',
      [named('a1'), ...waits('key-locked')],
      '1 of 2 without data, 1 locked',
    ],
    [
      'one node waits for a locked key and the other fails',
      [missed(down, 3), ...waits('key-locked')],
      'Waiting for the service',
    ],
    ['there is no key', { keys: [] }, words.noKey],
    ['the key is not allowed to sign for the service', [missed(notAllowed)], words.signerFailed],
    ['a cache repeats an answer', [missed({ kind: 'repeated' })], 'Live'],
    ['every node waits for a token', waits('no-token'), words.noToken],
    ['the user is signed out of the dashboard', waits('signed-out'), words.signedOut],
    ['another tab polls', { engineState: { kind: 'waiting', version: undefined } }, words.elsewhere],
    ['the signer has failed', { keysFailed: true }, 'Requests can’t be signed'],
    ['no node is watched', [], 'No nodes to watch'],
    ['the dashboard starts', { boot: 'starting' }, words.starting],
    ['the engine starts', { engineState: { kind: 'starting' } }, 'Live'],
  ])('shows the state of the dashboard when %s', (_when, given, said) => {
    renderWith(
      fakeDashboard(Array.isArray(given) ? { snapshot: aSnapshot(given) } : given),
      <Shell>page</Shell>,
    )
    expect(screen.getByRole('contentinfo').querySelector('b')?.textContent).toBe(said)
  })

  it('shows the poll interval, next poll, counts, key and time', () => {
    const dashboard = fakeDashboard()
    renderWith(dashboard, <Shell>page</Shell>)
    expect(status()).toContain('poll every 15 s')
    expect(status()).toContain('next in 13 s')
    expect(status()).toContain('this session: 240 answered, 0 failed')
    expect(status()).not.toContain('clock offset')
    expect(status()).toContain('key 5f3c…91a2, stored in this browser')
    expect(status()).toContain('14:02:35 UTC')
    dashboard.advance(5_000)
    expect(status()).toContain('next in 8 s')
    expect(status()).toContain('14:02:40 UTC')
    dashboard.advance(20_000)
    expect(status()).toContain(statusTexts.asking)
    dashboard.show(aSnapshot([aNode({ nextPollMs: undefined })]))
    expect(status()).toContain(statusTexts.notPlanned)
  })

  it('shows that the key is locked', () => {
    const keys = [{ ...A_KEY, custody: 'vault', locked: true } as const]
    renderWith(fakeDashboard({ keys }), <Shell>page</Shell>)
    expect(status()).toContain('key 5f3c…91a2, locked')
  })

  it('shows the key that signs, even if it is not the newest, and counts other signing keys', () => {
    const newer = { ...A_KEY, publicKey: `aa11${'0'.repeat(56)}bb22`, custody: 'session' } as const
    const keyLine = (...services: readonly Parameters<typeof aService>[0][]): string => {
      const settings = {
        ...EMPTY_SETTINGS,
        services: services.map((service, at) => aService({ baseUrl: `https://${at}.example`, ...service })),
      }
      const { unmount } = renderWith(fakeDashboard({ settings, keys: [A_KEY, newer] }), <Shell>page</Shell>)
      const line = /key \w{4}….{4}, [a-z ]+(; \d more)?/.exec(status())?.[0] ?? ''
      unmount()
      return line.replace(/\d\d$/, '')
    }
    const old = { key: A_KEY.publicKey }
    expect(keyLine(old)).toBe('key 5f3c…91a2, stored in this browser')
    expect(keyLine({})).toBe('key aa11…bb22, until the last tab closes')
    expect(keyLine()).toBe('key aa11…bb22, until the last tab closes')
    expect(keyLine(old, {})).toBe('key 5f3c…91a2, stored in this browser; 1 more')
    expect(keyLine({ key: 'ee'.repeat(32) })).toBe('key aa11…bb22, until the last tab closes')
  })

  it('describes the node on its page, and shows when its polls are slowed', () => {
    const slow = aFailingNode(down, { nextPollMs: NOW_MS + 58_000 })
    const snapshot = aSnapshot([slow, named('b2')], [aServiceLive()], { behindMs: 4_000 })
    renderWith(fakeDashboard({ snapshot }), <Shell>page</Shell>, nodePath(slow.key))
    expect(status()).toContain('poll every 15 s, slowed')
    expect(status()).toContain('next in 58 s')
    expect(status()).toContain('behind schedule by 4 s')
  })
})

describe('an engine waiting for another one', () => {
  const waiting = { kind: 'waiting', version: '9.8.7' } as const
  const OWN = { ...A_REPORT, worker: 'dedicated' } as const

  it('names the version that polls, offers a reload, and updates the status line', async () => {
    renderWith(fakeDashboard({ engineState: waiting }), <Shell>page</Shell>)
    await screen.findByRole('heading', { name: engineTexts.otherVersion('9.8.7') })
    screen.getByRole('button', { name: engineTexts.reload })
    expect(status()).toContain(shellTexts.status.elsewhere)
  })

  it('reports that another tab polls when each tab has its own engine', async () => {
    renderWith(fakeDashboard({ engineState: waiting, report: OWN }), <Shell>page</Shell>)
    await screen.findByRole('heading', { name: engineTexts.otherTab })
    expect(screen.queryByRole('button', { name: engineTexts.reload })).toBeNull()
  })
})

const old = { fields: { last_heartbeat: WALL_MS / 1_000 - 300 } }

describe('the top bar', () => {
  it('counts nodes by condition and links to them', () => {
    const snapshot = aSnapshot([
      named('a1', { reading: aReading(old) }),
      named('a2', { reading: aReading({ fields: { status: 'DRAINING' } }) }),
      named('a3', { reading: undefined }),
      named('a4'),
    ])
    renderWith(fakeDashboard({ snapshot }), <Shell>page</Shell>)
    const tiles = within(screen.getByRole('list', { name: shellTexts.tiles })).getAllByRole('link')
    expect(tiles.map((tile) => tile.title)).toEqual([
      '1 critical',
      '0 warning',
      '1 info',
      '1 no data',
      '0 shelved',
    ])
    expect(tiles[0]?.getAttribute('href')).toBe('#/nodes?condition=critical')
  })

  it('counts a node under no data once its reading is outdated, even without an update', () => {
    const dashboard = fakeDashboard()
    renderWith(dashboard, <Shell>page</Shell>)
    const tile = () =>
      within(screen.getByRole('list', { name: shellTexts.tiles })).getAllByRole('link')[3]?.title
    expect(tile()).toBe('0 no data')
    dashboard.advance(40_000)
    expect(tile()).toBe('1 no data')
  })

  it('names an unacknowledged critical alarm at its class, or at no data if no node is critical', () => {
    const alarms = anAlarmsView([anAlarm({ severity: 'critical' })])
    const dashboard = fakeDashboard({
      snapshot: aSnapshot([aFailingNode({ kind: 'server-error', status: 503 })]),
      alarms,
    })
    renderWith(dashboard, <Shell>page</Shell>)
    const marked = () =>
      within(screen.getByRole('list', { name: alarmTexts.annunciator.label }))
        .getAllByRole('link')
        .map(({ title }) => title.includes('Unacknowledged'))
    expect(marked()).toEqual([false, false, false, true, false])
    expect(screen.getByRole('link', { name: /^Alarms/ }).textContent).toContain('1')
    dashboard.show(aSnapshot([aNode({ reading: aReading(old) })]))
    expect(marked()).toEqual([true, false, false, false, false])
  })

  it('links to the main pages and marks the current one', () => {
    renderWith(fakeDashboard(), <Shell>page</Shell>, '/settings/keys')
    const links = within(screen.getByRole('navigation')).getAllByRole('link')
    expect(links.map((link) => [link.textContent, link.getAttribute('href'), link.ariaCurrent])).toEqual([
      ['Nodes', '#/nodes', null],
      ['Alarms', '#/alarms', null],
      ['Journal', '#/journal', null],
      ['Report', '#/report', null],
      ['Settings', '#/settings', 'page'],
    ])
  })

  it.each([
    ['system', 'dark'],
    ['dark', 'light'],
    ['light', 'system'],
  ] as const)('switches from the %s theme to the %s theme', async (theme, next) => {
    const saveSettings = vi.fn<(settings: Settings) => boolean>(() => true)
    const settings = { ...EMPTY_SETTINGS, display: { ...EMPTY_SETTINGS.display, theme } }
    renderWith(fakeDashboard({ settings, saveSettings }), <Shell>page</Shell>)
    await userEvent.click(screen.getByRole('button', { name: /^Theme:/ }))
    expect(saveSettings.mock.calls[0]?.[0].display.theme).toBe(next)
  })
})

describe('the browser tab', () => {
  beforeEach(() => {
    document.head.innerHTML = '<link rel="icon" href="/favicon.svg">'
    document.title = ''
  })
  const icon = () => document.querySelector('link')?.getAttribute('href')
  const critical = (): FleetSnapshot => ({
    ...aSnapshot([aNode({ reading: aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - 300 } }) })]),
    revision: 2,
  })

  it('shows the page name and the default icon', () => {
    renderWith(fakeDashboard(), <Shell>page</Shell>, nodePath(aNode().key))
    expect(document.title).toBe('vela-007 · immune')
    expect(icon()).toBe('./favicon.svg')
  })

  it.each([
    ['/nodes', 'Nodes'],
    ['/alarms', 'Alarms'],
    ['/alarms/', 'Alarms'],
    ['/Alarms/rules', 'Rules and maintenance'],
    ['/journal', 'Journal'],
    ['/compare', 'Compare nodes'],
    ['/settings/key', 'Settings'],
    ['/about', 'About'],
    ['/wall', 'Wall screen'],
  ])('at %s has the title %s', (path, name) => {
    renderWith(
      fakeDashboard(),
      <EvaluationProvider>
        <TabState node={undefined} path={path} />
      </EvaluationProvider>,
    )
    expect(document.title).toBe(`${name} · immune`)
  })

  it('shows critical nodes in its title and icon, throttled to one change every 5 s', () => {
    const dashboard = fakeDashboard()
    renderWith(dashboard, <Shell>page</Shell>)
    expect(document.title).toBe('Nodes · immune')
    dashboard.show(critical())
    expect(document.title).toBe('Nodes · immune')
    dashboard.advance(4_000)
    expect(document.title).toBe('Nodes · immune')
    dashboard.advance(1_000)
    expect(document.title).toBe('(1) · Nodes · immune')
    // Outside a build the icon is a data URL, which is recognized by its red.
    expect(icon()).toMatch(/critical|c8102e/)
    // The title also shows the end of the problem, and stays that way.
    dashboard.show({ ...aSnapshot(), revision: 3 })
    for (let times = 0; times < 2; times++) {
      dashboard.advance(5_000)
      expect(document.title).toBe('Nodes · immune')
    }
  })

  it('shows critical nodes in its title even when a hidden page gets no ticks', () => {
    const dashboard = { ...fakeDashboard(), seconds: createStore(0) }
    renderWith(dashboard, <Shell>page</Shell>)
    dashboard.show(critical())
    expect(document.title).toBe('Nodes · immune')
    dashboard.show({ ...critical(), revision: 3, nowMs: dashboard.nowMs() + 5_000 })
    expect(document.title).toBe('(1) · Nodes · immune')
  })
})

describe('a page that fails to render', () => {
  it('keeps the navigation visible, and renders again on retry', async () => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => {})
    let broken = true
    const Page = () => {
      if (broken) throw new Error('drawn to pieces')
      return <p>here again</p>
    }
    renderWith(
      fakeDashboard(),
      <Shell>
        <Page />
      </Shell>,
    )
    // The title appears at once; the error text is loaded later.
    expect(screen.getByRole('main').textContent).toContain(boundaryTexts.title)
    await within(screen.getByRole('main')).findAllByText(/drawn to pieces/)
    expect(screen.getByRole('navigation')).toBeDefined()
    broken = false
    await userEvent.click(screen.getByRole('button', { name: boundaryTexts.retry }))
    expect(screen.getByText('here again')).toBeDefined()
    silenced.mockRestore()
  })
})
