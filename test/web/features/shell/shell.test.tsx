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
  // A late part is drawn at once from the second time on.
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
    ['all answer', {}, 'Live'],
    ['one missed a poll, and its reading holds', [named('a1'), missed(down)], 'Live, 1 of 2 without status'],
    ['some fail', [named('a1'), aFailingNode(down)], '1 of 2 without status'],
    [
      'a reading is old though nothing failed',
      [named('a1'), named('a2', { reading: aReading({ agoMs: 60_000 }) })],
      '1 of 2 without status',
    ],
    ['all fail', [aFailingNode(down)], 'Waiting for the service'],
    ['this dashboard’s own server hangs', hung('proxy'), words.ownServer],
    ['the service does not answer this dashboard’s server', hung('service'), words.waiting],
    [
      'the computer is offline',
      { snapshot: aSnapshot(waits('offline'), [aServiceLive()], { offline: true }) },
      'This computer is offline',
    ],
    ['nobody answered yet', [aNode({ reading: undefined })], 'Waiting for the first answers'],
    [
      'every key is locked, though nothing has failed yet',
      { keys: [{ ...A_KEY, custody: 'vault', locked: true }] },
      words.locked,
    ],
    ['every node waits for a locked key', waits('key-locked'), words.locked],
    ['one of two keys is locked', [named('a1'), ...waits('key-locked')], '1 locked'],
    [
      'one node waits for a locked key and the other fails',
      [missed(down, 3), ...waits('key-locked')],
      'Waiting for the service',
    ],
    ['there is no key', { keys: [] }, words.noKey],
    [
      'the key was chosen for no service, so that nothing is waited for',
      [missed(notAllowed)],
      words.signerFailed,
    ],
    ['a cache repeats an answer', [missed({ kind: 'repeated' })], 'Live'],
    ['every node waits for a token', waits('no-token'), words.noToken],
    ['nobody is signed in to this dashboard', waits('signed-out'), words.signedOut],
    ['another tab polls', { engineState: { kind: 'waiting', version: undefined } }, words.elsewhere],
    ['the signer failed', { keysFailed: true }, 'Requests can’t be signed'],
    ['nothing is watched', [], 'No nodes to watch'],
    ['it starts', { boot: 'starting' }, words.starting],
    ['its engine starts', { engineState: { kind: 'starting' } }, 'Live'],
  ])('says what the screen does when %s', (_when, given, said) => {
    renderWith(
      fakeDashboard(Array.isArray(given) ? { snapshot: aSnapshot(given) } : given),
      <Shell>page</Shell>,
    )
    expect(screen.getByRole('contentinfo').querySelector('b')?.textContent).toBe(said)
  })

  it('tells pace, next poll, counts, key and time', () => {
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

  it('says that the vault of the key is locked', () => {
    const keys = [{ ...A_KEY, custody: 'vault', locked: true } as const]
    renderWith(fakeDashboard({ keys }), <Shell>page</Shell>)
    expect(status()).toContain('key 5f3c…91a2, locked')
  })

  it('names the key that signs, which need not be the newest, and counts the others that do', () => {
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

  it('is about the node on its page, and says when that is asked more rarely', () => {
    const slow = aFailingNode(down, { nextPollMs: NOW_MS + 58_000 })
    const snapshot = aSnapshot([slow, named('b2')], [aServiceLive()], { behindMs: 4_000 })
    renderWith(fakeDashboard({ snapshot }), <Shell>page</Shell>, nodePath(slow.key))
    expect(status()).toContain('poll every 15 s, slowed')
    expect(status()).toContain('next in 58 s')
    expect(status()).toContain('behind schedule by 4 s')
  })
})

describe('an engine that waits for another one', () => {
  const waiting = { kind: 'waiting', version: '9.8.7' } as const
  const OWN = { ...A_REPORT, worker: 'dedicated' } as const

  it('says which version polls, and that this screen is not live', async () => {
    renderWith(fakeDashboard({ engineState: waiting }), <Shell>page</Shell>)
    await screen.findByRole('heading', { name: engineTexts.otherVersion('9.8.7') })
    screen.getByRole('button', { name: engineTexts.reload })
    expect(status()).toContain(shellTexts.status.elsewhere)
  })

  it('says that another tab polls where each tab has an engine of its own', async () => {
    renderWith(fakeDashboard({ engineState: waiting, report: OWN }), <Shell>page</Shell>)
    await screen.findByRole('heading', { name: engineTexts.otherTab })
    expect(screen.queryByRole('button', { name: engineTexts.reload })).toBeNull()
  })
})

describe('the bar', () => {
  it('counts nodes by condition and leads to them', () => {
    const old = { fields: { last_heartbeat: WALL_MS / 1_000 - 300 } }
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

  it('counts a node as without data once it is too old, though no update came', () => {
    const dashboard = fakeDashboard()
    renderWith(dashboard, <Shell>page</Shell>)
    const tile = () =>
      within(screen.getByRole('list', { name: shellTexts.tiles })).getAllByRole('link')[3]?.title
    expect(tile()).toBe('0 no data')
    dashboard.advance(40_000)
    expect(tile()).toBe('1 no data')
  })

  it('leads to the pages that exist and marks the current one', () => {
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
  ] as const)('goes from the %s theme to the %s one', async (theme, next) => {
    const saveSettings = vi.fn<(settings: Settings) => boolean>(() => true)
    const settings = { ...EMPTY_SETTINGS, display: { ...EMPTY_SETTINGS.display, theme } }
    renderWith(fakeDashboard({ settings, saveSettings }), <Shell>page</Shell>)
    await userEvent.click(screen.getByRole('button', { name: /^Theme:/ }))
    expect(saveSettings.mock.calls[0]?.[0].display.theme).toBe(next)
  })
})

describe('the tab', () => {
  beforeEach(() => {
    document.head.innerHTML = '<link rel="icon" href="/favicon.svg">'
    document.title = ''
  })
  const icon = () => document.querySelector('link')?.getAttribute('href')
  const critical = (): FleetSnapshot => ({
    ...aSnapshot([aNode({ reading: aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - 300 } }) })]),
    revision: 2,
  })

  it('names the page', () => {
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
  ])('at %s is called %s', (path, name) => {
    renderWith(
      fakeDashboard(),
      <EvaluationProvider>
        <TabState node={undefined} path={path} />
      </EvaluationProvider>,
    )
    expect(document.title).toBe(`${name} · immune`)
  })

  it('tells of trouble in title and icon, but changes at most every 5 s', () => {
    const dashboard = fakeDashboard()
    renderWith(dashboard, <Shell>page</Shell>)
    expect(document.title).toBe('Nodes · immune')
    dashboard.show(critical())
    expect(document.title).toBe('Nodes · immune')
    dashboard.advance(4_000)
    expect(document.title).toBe('Nodes · immune')
    dashboard.advance(1_000)
    expect(document.title).toBe('(1) · Nodes · immune')
    // Outside a build the icon is its own address, recognised by its red.
    expect(icon()).toMatch(/critical|c8102e/)
    // Its end is told too, and stays told.
    dashboard.show({ ...aSnapshot(), revision: 3 })
    for (let times = 0; times < 2; times++) {
      dashboard.advance(5_000)
      expect(document.title).toBe('Nodes · immune')
    }
  })

  it('tells of trouble in its title although a hidden page has no ticks', () => {
    const dashboard = { ...fakeDashboard(), seconds: createStore(0) }
    renderWith(dashboard, <Shell>page</Shell>)
    dashboard.show(critical())
    expect(document.title).toBe('Nodes · immune')
    dashboard.show({ ...critical(), revision: 3, nowMs: dashboard.nowMs() + 5_000 })
    expect(document.title).toBe('(1) · Nodes · immune')
  })
})

describe('a page that can’t be drawn', () => {
  it('leaves the bar and the status line, and can be drawn again', async () => {
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
    // At once, and with what the error said when that has come too.
    expect(screen.getByRole('main').textContent).toContain(boundaryTexts.title)
    await within(screen.getByRole('main')).findAllByText(/drawn to pieces/)
    expect(screen.getByRole('navigation')).toBeDefined()
    broken = false
    await userEvent.click(screen.getByRole('button', { name: boundaryTexts.retry }))
    expect(screen.getByText('here again')).toBeDefined()
    silenced.mockRestore()
  })
})
