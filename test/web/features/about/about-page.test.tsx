import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AboutPage } from '#features/about/about-page.tsx'
import { FIRST_STATUS } from '#history/history-status.ts'
import type { StorageTest } from '#storage/self-test.ts'
import { clearKept, keepCopy, noteUndo } from '#platform/kept-settings.ts'
import { serviceIdOf } from '#record/service.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { SignerTest } from '#signer/api.ts'
import {
  A_KEY,
  A_REPORT,
  fakeDashboard,
  renderWith,
  type FakeOptions,
} from '#test/support/fake-dashboard.tsx'
import { aService } from '#test/support/fleet-fixture.ts'
import { aboutTexts } from '#texts/en-about.ts'

// Test files share a window, and so its localStorage.
beforeEach(() => localStorage.clear())
afterEach(() => {
  vi.restoreAllMocks()
  clearKept()
})

const open = (options: FakeOptions = {}) => renderWith(fakeDashboard(options), <AboutPage />, '/about')

const panel = (name: string) => within(screen.getByRole('region', { name }))

const GOOD: SignerTest = { network: 'blocked', signing: 'right', storage: 'works', tookMs: 61 }
const KEPT: StorageTest = { tookMs: 23, failed: undefined }

type Answers = {
  readonly signer?: () => Promise<SignerTest>
  readonly storage?: () => Promise<StorageTest>
} & Pick<FakeOptions, 'report'>

const gone = () => Promise.reject(new Error('gone'))
const finds = (part: Partial<SignerTest>) => async () => ({ ...GOOD, ...part })
const fails = (failed: StorageTest['failed']) => async () => ({ tookMs: 1, failed })

function setUp({ signer = async () => GOOD, storage = async () => KEPT, ...options }: Answers = {}) {
  const user = userEvent.setup()
  const selfTest = vi.fn<() => Promise<SignerTest>>(signer)
  const testStorage = vi.fn<() => Promise<StorageTest>>(storage)
  open({ signer: { selfTest }, engine: { testStorage }, ...options })
  const press = () => user.click(panel('Self-tests').getByRole('button', { name: /^Run/ }))
  return { press, selfTest, testStorage }
}

/** The state, title and detail text of each step. */
const steps = () =>
  within(screen.getByRole('list', { name: 'Steps of the self-tests' }))
    .getAllByRole('listitem')
    .map((step) => {
      const state = step.querySelector('[aria-label]')?.getAttribute('aria-label')
      return [state, step.querySelector('p')?.textContent, step.querySelector('small')?.textContent ?? '']
    })

const TITLES = [
  aboutTexts.network,
  aboutTexts.signing,
  aboutTexts.keyStorage,
  aboutTexts.storage,
  aboutTexts.settings,
]

describe('the self-tests', () => {
  it('do not run until the user starts them', () => {
    const { selfTest, testStorage } = setUp()
    expect(steps()).toEqual(TITLES.map((title) => [aboutTexts.states.waiting, title, '']))
    expect(selfTest).not.toHaveBeenCalled()
    expect(testStorage).not.toHaveBeenCalled()
    expect(localStorage.length).toBe(0)
  })

  it('show what was tested, the results and the times, and can run again', async () => {
    const { press, selfTest } = setUp()
    await press()
    await screen.findByRole('button', { name: aboutTexts.testAgain })
    expect(steps().map(([state, title]) => [state, title])).toEqual(TITLES.map((title) => ['passed', title]))
    const texts = steps().map(([, , text]) => text)
    expect(texts[1]).toContain('RFC 8032, section 7.1, test 3. Signed with WebCrypto.')
    expect(texts[3]).toContain('65,536 bytes')
    panel('Self-tests').getByText('61 ms')
    panel('Self-tests').getByText('23 ms')
    panel('Self-tests').getByText(/^tested \d\d:\d\d:\d\d$/)
    // The storage test removes what it wrote.
    expect(localStorage.length).toBe(0)
    selfTest.mockReturnValue(new Promise(() => undefined))
    await press()
    expect(steps()[1]?.[0]).toBe(aboutTexts.states.running)
  })

  it.each<[Answers, number, string, RegExp]>([
    [{ signer: finds({ network: 'possible' }) }, 0, 'failed', /did not block/],
    [{ signer: finds({ storage: 'fails' }) }, 2, 'failed', /could not be read back/],
    [
      {
        signer: finds({ storage: 'none' }),
        report: { ...A_REPORT, cryptography: 'javascript' },
      },
      2,
      aboutTexts.states.warned,
      /plain http/,
    ],
    [
      { storage: fails({ step: 'write', why: 'full' }) },
      3,
      'failed',
      /Nothing could be written\. The browser’s storage for this page is full/,
    ],
    [
      { storage: fails({ step: 'read', why: 'changed' }) },
      3,
      'failed',
      /could not be read\. The bytes read back differ/,
    ],
    [{ storage: gone }, 3, 'failed', /The engine does not answer/],
    [{ signer: gone }, 1, 'failed', /The signer does not answer/],
  ])('mark a failed step and say what is wrong: case %#', async (answers, place, state, text) => {
    const { press } = setUp(answers)
    await press()
    await screen.findByRole('button', { name: aboutTexts.testAgain })
    expect(steps()[place]?.[0]).toBe(state)
    expect(steps()[place]?.[2]).toMatch(text)
  })

  it('mark the settings step as failed when the browser can’t store any', async () => {
    const { press } = setUp()
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    await press()
    await screen.findByText(aboutTexts.settingsFails, { exact: false })
    expect(steps()[4]?.[0]).toBe('failed')
  })
})

describe('the storage overview', () => {
  it('lists each storage place with what it holds', async () => {
    noteUndo(EMPTY_SETTINGS)
    keepCopy('not a document')
    open({
      settings: {
        ...EMPTY_SETTINGS,
        services: [aService()],
        nodes: [
          { id: '0x1', tags: [] },
          { id: '0x2', tags: [] },
        ],
      },
      keys: [
        A_KEY,
        { ...A_KEY, custody: 'vault' },
        { ...A_KEY, custody: 'vault' },
        { ...A_KEY, custody: 'session' },
      ],
      history: { ...FIRST_STATUS, state: 'not-kept', failure: 'full', bytes: 12_000_001, budgetBytes: 1e9 },
      signer: {
        tokens: () =>
          Promise.resolve([
            { serviceId: serviceIdOf('https://a.example'), place: 'session' },
            { serviceId: serviceIdOf('https://b.example'), place: 'device' },
            { serviceId: serviceIdOf('https://c.example'), place: 'device' },
          ]),
      },
    })
    const kept = panel(aboutTexts.kept.title)
    kept.getByText(/1 service, 2 nodes/)
    kept.getByText(aboutTexts.kept.undoText(1, 1))
    kept.getByText(
      /^1 key in this browser’s database, not exportable.*2 keys .* encrypted.*1 key in memory only/,
    )
    kept.getByText(/IndexedDB, not saved: .*13 MB of at most 1,000 MB.*is full/)
    await kept.findByText(
      '1 in memory only, until the last tab is closed. 2 unencrypted in this browser’s database.',
    )
  })
})

describe('the signer panel', () => {
  it.each([
    [{ ...A_REPORT, network: 'possible' } as const, aboutTexts.facts.networks.possible],
    [{ ...A_REPORT, cryptography: 'javascript' } as const, aboutTexts.facts.cryptographies.javascript],
    [{ ...A_REPORT, worker: 'dedicated' } as const, /one per tab/],
    [{ ...A_REPORT, storage: false }, /blocked by the browser/],
  ])('shows the signer’s report: %j', (report, text) => {
    open({ report })
    panel(aboutTexts.signer).getByText(text)
  })
})

it('the packages panel lists the packages and links to their licences', async () => {
  const user = userEvent.setup()
  open()
  const packages = panel(aboutTexts.packages)
  expect(packages.getByRole('link', { name: 'All licence texts' }).getAttribute('href')).toBe('licences.txt')
  await user.click(packages.getByText(/^Show all \d+$/))
  packages.getByText('tweetnacl 1.0.3')
})
