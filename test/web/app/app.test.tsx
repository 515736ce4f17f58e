import { act, render, screen } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { App } from '#app/app.tsx'
import { RootBoundary } from '#app/root-boundary.tsx'
import { loadLateParts } from '#test/support/late-parts.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { ok } from '#base/result.ts'
import { fakeDashboard, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { aNode, aService, BASE_URL } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { systemClock } from '#platform/system-clock.ts'
import { LiveRegions } from '#ui/live-region.tsx'
import { boundaryTexts } from '#texts/en-boundary.ts'
import { VERSION } from '#texts/version.ts'

beforeAll(async () => {
  giveLayout()
  await loadLateParts()
})
beforeEach(() => {
  location.hash = ''
})

const SETTINGS = {
  ...EMPTY_SETTINGS,
  services: [aService({ label: 'mainnet' })],
  nodes: [{ id: '0x1', service: BASE_URL, tags: [] }],
}

const UNSIGNED = {
  baseUrl: 'https://open.example',
  profile: { v: 1, message: { kind: 'none' }, headers: {} },
}
const WITH_UNSIGNED = { ...SETTINGS, services: [...SETTINGS.services, aService(UNSIGNED)] }

const open = (hash: string, options: FakeOptions = {}) => {
  location.hash = hash
  const dashboard = fakeDashboard({
    settings: SETTINGS,
    // The first-run page asks the server for access to the service that it tests.
    allowService: async () => ok(undefined),
    engine: { lastExchange: async () => undefined, readSeriesData: () => new Promise(() => {}) },
    ...options,
  })
  return { dashboard, ...render(<App dashboard={dashboard} />) }
}

const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name })

describe('a URL', () => {
  it.each(['', '#/', '#/nowhere', '#/nodes/', '#/%E0%A4%A'])(
    'with the hash “%s” shows the node table',
    async (hash) => {
      open(hash)
      await screen.findByRole('grid', { name: /Watched nodes/ })
      expect(location.hash).toMatch(/^#\/nodes\/?$/)
    },
  )

  it('of a node shows that node, and a hash change shows the next page', async () => {
    open(`#/nodes/${aNode().key}`)
    await heading(aNode().name ?? '')
    act(() => {
      location.hash = '#/settings/display'
      window.dispatchEvent(new HashChangeEvent('hashchange'))
    })
    await heading('Settings')
  })
})

describe('the first-run page', () => {
  it.each<[string, FakeOptions]>([
    ['there is no key', { keys: [] }],
    ['no node is watched', { settings: EMPTY_SETTINGS }],
  ])('appears when %s', async (_what, options) => {
    open('#/nodes', options)
    await screen.findByRole('button', { name: 'Start watching' })
  })

  it.each([
    ['#/settings', 'Settings'],
    ['#/about', /^About/],
  ])('still lets the user open %s', async (hash, title) => {
    open(hash, { keys: [] })
    await heading(title)
  })

  it.each<[string, FakeOptions]>([
    ['the keys are still loading', { keys: [], boot: 'starting' }],
    ['the signer has failed', { keys: [], keysFailed: true }],
    ['one of the services needs no key', { keys: [], settings: WITH_UNSIGNED }],
  ])('gives way to the node table while %s', async (_what, options) => {
    open('#/nodes', options)
    await screen.findByRole('grid', { name: /Watched nodes/ })
  })
})

describe('the root error boundary', () => {
  it('shows an error report without key material, and renders again on retry', async () => {
    location.hash = '#/nodes/vela?q=vela'
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const seed = Uint8Array.from({ length: 32 }, (_, index) => (index * 37 + 11) % 256)
    const hex = Buffer.from(seed).toString('hex')
    const forms = [
      hex,
      hex.toUpperCase(),
      Buffer.from(seed).toString('base64'),
      Buffer.from(seed).toString('base64url'),
      `[${seed.join(',')}]`,
      seed.join(', '),
      Buffer.concat([seed, seed]).toString('hex'),
    ]
    let fails = true
    const Part = () => {
      if (!fails) return <p>drawn</p>
      throw new TypeError(`can't draw ${forms.map((form) => `“${form}”`).join(' ')}, \u202E, as a stake`)
    }
    const { container } = render(
      <LiveRegions after={systemClock.after}>
        <RootBoundary>
          <Part />
        </RootBoundary>
      </LiveRegions>,
    )
    expect(screen.getByRole('main').textContent).toContain(boundaryTexts.rootTitle)
    await screen.findByRole('button', { name: new RegExp(boundaryTexts.report) })
    const report = container.querySelector('pre')?.textContent ?? ''
    expect(report).toContain('TypeError: can')
    expect(report).toContain(VERSION)
    expect(report).not.toContain('vela')
    for (const form of [...forms, '\u202E']) expect(container.outerHTML).not.toContain(form.slice(0, 24))
    fails = false
    act(() => screen.getByRole('button', { name: boundaryTexts.retry }).click())
    expect(screen.getByText('drawn')).toBeDefined()
    said.mockRestore()
  })
})
