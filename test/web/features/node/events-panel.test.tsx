import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { EventsPanel } from '#features/node/events-panel.tsx'
import type { EngineApi } from '#engine/bridge.ts'
import type { EventQuery, KeptEntry } from '#history/event-log.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, WALL_MS } from '#test/support/fleet-fixture.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { METRICS } from '#metrics/metrics.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { levelWords } from '#texts/en-checks.ts'
import { nodeEventTexts } from '#texts/en-node-events.ts'

const node = aNode()
const settings = { ...EMPTY_SETTINGS, display: { ...EMPTY_SETTINGS.display, timeZone: 'utc' as const } }

type Append = EngineApi['appendEvents']

function setUp(entries: readonly KeptEntry[], append: Append = () => Promise.resolve(), name?: string) {
  const asked: EventQuery[] = []
  const appendEvents = vi.fn<Append>(append)
  const dashboard = fakeDashboard({
    settings,
    signedIn: async () => (name === undefined ? undefined : { name, canSignOut: true }),
    engine: {
      readEvents: async (query) => {
        asked.push(query)
        return { entries, before: undefined }
      },
      appendEvents,
    },
  })
  renderWith(dashboard, <EventsPanel node={node} />)
  return { asked, appendEvents, dashboard, user: userEvent.setup() }
}

const entry = (id: string, what: string, fields: Partial<KeptEntry> = {}): KeptEntry => ({
  id,
  wallMs: WALL_MS - 60_000,
  area: 'record',
  what,
  nodeKey: node.key,
  ...fields,
})

describe('the node events panel', () => {
  it('reports that the journal cannot be read', async () => {
    const readEvents = () => Promise.reject(new Error('broken'))
    renderWith(fakeDashboard({ engine: { readEvents } }), <EventsPanel node={node} />)
    await screen.findByText(nodeEventTexts.failed)
  })

  it('lists events newest first without pending alarms, and links to the journal', async () => {
    const facts = { alarm: 'heartbeat-old vela', kind: 'heartbeat-old', severity: 'critical' }
    const { asked } = setUp([
      entry('5', 'alarm-cleared', { area: 'alarm', facts }),
      entry('4', 'alarm-raised', { area: 'alarm', facts }),
      entry('3', 'alarm-pending', { area: 'alarm', facts }),
      entry('2', 'note', { area: 'operator', facts: { note: 'restarted by hand' } }),
      entry('1', 'counter-restarted'),
    ])
    const lines = (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent)
    expect(lines).toHaveLength(4)
    expect(lines[1]).toContain(alarmName('heartbeat-old', METRICS))
    expect(screen.getByRole('img', { name: levelWords.critical })).toBeTruthy()
    expect(lines[2]).toContain('restarted by hand')
    expect(asked[0]).toMatchObject({
      nodeKey: node.key,
      areas: ['alarm', 'service', 'watching', 'record', 'operator'],
    })
    expect(screen.getByRole('link', { name: nodeEventTexts.all }).getAttribute('href')).toBe(
      `#/journal?node=${encodeURIComponent(node.key)}`,
    )
  })
})

describe('a note', () => {
  it('gets the current time by default, and its field is cleared once it is saved', async () => {
    const { appendEvents, dashboard, user } = setUp([])
    dashboard.advance(5_000)
    await user.click(screen.getByText(nodeEventTexts.write))
    await fillIn(screen.getByLabelText('Note'), '  disk was full  ')
    await user.click(screen.getByRole('button', { name: 'Add note' }))
    expect(appendEvents.mock.calls[0]?.[0]).toEqual([
      {
        wallMs: WALL_MS + 5_000,
        area: 'operator',
        what: 'note',
        nodeKey: node.key,
        serviceId: node.serviceId,
        facts: { note: 'disk was full' },
      },
    ])
    expect(screen.getByLabelText<HTMLTextAreaElement>('Note').value).toBe('')
  })

  it('records the signed-in user, and is saved once however often its button is pressed', async () => {
    const { appendEvents, user } = setUp([], () => new Promise(() => undefined), 'alice')
    await fillIn(screen.getByLabelText('Note'), 'reboot')
    await user.dblClick(screen.getByRole('button', { name: 'Add note' }))
    expect(appendEvents.mock.calls.map(([[note]]) => note?.facts)).toEqual([{ note: 'reboot', by: 'alice' }])
  })

  it('gets the entered time in the displayed time zone, and the time field is cleared', async () => {
    const { appendEvents, user } = setUp([])
    await fillIn(screen.getByLabelText('Note'), 'seen late')
    await user.type(screen.getByLabelText('Time (UTC)'), '2026-11-20T03:15')
    await user.click(screen.getByRole('button', { name: 'Add note' }))
    expect(appendEvents.mock.calls[0]?.[0]?.[0]?.wallMs).toBe(Date.UTC(2026, 10, 20, 3, 15))
    // The next note gets the current time again by default.
    expect(screen.getByLabelText('Time (UTC)')).toHaveProperty('value', '')
  })

  it('is rejected when empty, and stays in its field when saving fails', async () => {
    const { appendEvents, user } = setUp([], () => Promise.reject(new Error('gone')))
    await user.click(screen.getByRole('button', { name: 'Add note' }))
    screen.getByText(nodeEventTexts.empty)
    expect(appendEvents).not.toHaveBeenCalled()
    await fillIn(screen.getByLabelText('Note'), 'kept?')
    await user.click(screen.getByRole('button', { name: 'Add note' }))
    await screen.findByText(nodeEventTexts.notKept)
    expect(screen.getByLabelText<HTMLTextAreaElement>('Note').value).toBe('kept?')
  })
})
