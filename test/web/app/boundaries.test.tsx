import { act, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { App } from '#app/app.tsx'
import { FAILED_ID } from '#app/root-boundary.tsx'
import type { AssessedNode, Reading } from '#fleet/live.ts'
import { loadLateParts } from '#test/support/late-parts.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'
import { aNode, aService, aSnapshot, BASE_URL } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { boundaryTexts } from '#texts/en-boundary.ts'
import { shellTexts } from '#texts/en-shell.ts'

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

/** Copies an object so that the given members throw when they are read while armed. */
function planted<T extends object>(whole: T, ...members: readonly (keyof T)[]): T {
  const copy = { ...whole }
  for (const member of members)
    Object.defineProperty(copy, member, {
      enumerable: true,
      get: () => {
        if (isArmed) throw new Error('a value that can’t be drawn')
        return whole[member]
      },
    })
  return copy
}

const NODE_MEMBERS = [
  'name',
  'nodeId',
  'reading',
  'episode',
  'since',
  'counters',
  'tags',
  'answered',
  'assessment',
] as const
const READING_MEMBERS = ['record', 'ages', 'latencyMs', 'startedMs', 'startedWallMs', 'cachedForS'] as const
const RECORD_MEMBERS = [
  'status',
  'stake',
  'participation',
  'threatResponses',
  'heartbeat',
  'proof',
  'unknownFields',
  'extraFields',
  'nodeId',
] as const
const PAGES = ['#/nodes', `#/nodes/${aNode().key}`, '#/alarms', '#/wall', `#/wall/${aNode().key}`]
/** These pages show little of a node, so that one case per page is enough. */
const OTHER_PAGES = ['#/journal', '#/settings', '#/about']

const whole = aNode()
const fleet = aSnapshot([whole])
const aNodeInFleet = fleet.nodes.get(whole.key) ?? raise()
const withNode = (node: AssessedNode) => ({ ...fleet, nodes: new Map([[node.key, node]]) })

function raise(): never {
  throw new Error('the fixture lacks it')
}

let isArmed = false
const inReading = (node: AssessedNode, change: (reading: Reading) => Reading): AssessedNode => ({
  ...node,
  reading: change(node.reading ?? raise()),
})
const PLANTED: readonly { readonly what: string; readonly plant: (node: AssessedNode) => AssessedNode }[] = [
  ...NODE_MEMBERS.map((member) => ({
    what: `node.${member}`,
    plant: (node: AssessedNode) => planted(node, member),
  })),
  ...READING_MEMBERS.map((member) => ({
    what: `reading.${member}`,
    plant: (node: AssessedNode) => inReading(node, (reading) => planted(reading, member)),
  })),
  ...RECORD_MEMBERS.map((member) => ({
    what: `record.${member}`,
    plant: (node: AssessedNode) =>
      inReading(node, (reading) => ({ ...reading, record: planted(reading.record, member) })),
  })),
]

/** Stands in for `reportError`, which jsdom lacks. */
const told = vi.fn<(error: unknown) => void>()
beforeEach(() => {
  told.mockClear()
  vi.stubGlobal('reportError', told)
})
afterEach(() => {
  isArmed = false
})

describe('a value that throws during rendering', () => {
  const ofAll = { what: 'any of a node', plant: (node: AssessedNode) => planted(node, ...NODE_MEMBERS) }
  it.each([
    ...PAGES.flatMap((page) => PLANTED.map((one) => ({ page, ...one }))),
    ...OTHER_PAGES.map((page) => ({ page, ...ofAll })),
  ])('($what) leaves the rest of $page visible', async ({ page, plant }) => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    isArmed = false
    location.hash = page
    const dashboard = fakeDashboard({
      settings: SETTINGS,
      snapshot: withNode(plant(aNodeInFleet)),
      engine: { lastExchange: async () => undefined, readSeriesData: () => new Promise(() => {}) },
    })
    isArmed = true
    const { container, unmount } = render(<App dashboard={dashboard} />)
    await act(async () => undefined)
    // Neither the root error page nor an empty page may replace what is watched.
    expect(container.querySelector(`#${FAILED_ID}`)).toBeNull()
    expect(container.textContent?.trim()).not.toBe('')
    if (!page.startsWith('#/wall')) screen.getByRole('navigation', { name: shellTexts.nav })
    isArmed = false
    unmount()
    silenced.mockRestore()
  })

  const openWith = (member: keyof AssessedNode, page: string): void => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => silenced.mockRestore())
    location.hash = page
    const dashboard = fakeDashboard({ settings: SETTINGS, snapshot: withNode(planted(aNodeInFleet, member)) })
    isArmed = true
    render(<App dashboard={dashboard} />)
  }

  it('shows an error in its own part of the node page', async () => {
    openWith('since', `#/nodes/${whole.key}`)
    await screen.findAllByRole('heading', { name: boundaryTexts.title })
    screen.getByRole('heading', { level: 1, name: whole.name ?? '' })
  })

  it('reaches reportError when no part was rendering', async () => {
    openWith('assessment', '#/nodes')
    await waitFor(() => expect(told).toHaveBeenCalled())
  })
})
