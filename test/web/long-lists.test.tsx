import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { beforeAll, expect, it } from 'vitest'
import { AlarmRulesPage } from '#features/alarms/alarm-rules-page.tsx'
import { JournalPage } from '#features/journal/journal-page.tsx'
import { ReportPage } from '#features/report/report-page.tsx'
import { NodeFiles } from '#features/settings/data/history-section.tsx'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { builtInTexts } from '#texts/en-built-in.ts'
import { NO_MATCH } from '#texts/en-field-problems.ts'
import { journalTexts } from '#texts/en-journal.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, aService, aSnapshot, BASE_URL } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'

beforeAll(giveLayout)

const NODES = Array.from({ length: 30 }, (_, at) =>
  aNode({ nodeId: `0x${String(at + 10)}`, name: `vela-${at + 10}` }),
)

const settings = {
  ...EMPTY_SETTINGS,
  services: [aService()],
  nodes: NODES.map(({ nodeId, name }) => ({ service: BASE_URL, id: nodeId, name, tags: [] })),
}

type Page = readonly [string, page: ReactNode, path: string, label: string, open: string | undefined]

it.each<Page>([
  ['the journal', <JournalPage key="a" />, '/journal', journalTexts.node, undefined],
  ['the report', <ReportPage key="b" />, '/report', availabilityTexts.form.nodes, undefined],
  ['an export', <NodeFiles key="c" />, '/settings/history', transferTexts.export.node, undefined],
  [
    'a rule',
    <AlarmRulesPage key="d" />,
    '/alarms/rules',
    alarmRuleTexts.fields.scope,
    alarmRuleTexts.own.add,
  ],
  [
    'a built-in rule',
    <AlarmRulesPage key="e" />,
    '/alarms/rules',
    alarmRuleTexts.fields.scope,
    builtInTexts.add,
  ],
])(
  'the nodes of %s are searched by keys, and a screen reader hears which one is chosen',
  async (_what, page, path, label, open) => {
    renderWith(
      fakeDashboard({
        snapshot: aSnapshot(NODES),
        settings,
        engine: {
          readEvents: async () => ({ entries: [], before: undefined }),
          readSummary: () => new Promise(() => undefined),
        },
      }),
      page,
      path,
    )
    if (open !== undefined) await userEvent.click(screen.getByRole('button', { name: open }))
    const field = await screen.findByRole('combobox', { name: label })
    field.focus()
    await userEvent.keyboard('vela-3')
    const list = screen.getByRole('listbox', { name: label })
    expect([field.getAttribute('aria-expanded'), field.getAttribute('aria-controls')]).toEqual([
      'true',
      list.id,
    ])
    const active = () =>
      document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent
    expect(active()).toMatch(/vela-30$/)
    await userEvent.keyboard('{ArrowDown}{ArrowDown}')
    expect(active()).toMatch(/vela-32$/)
    await userEvent.keyboard('{Enter}')
    expect([field.getAttribute('aria-expanded'), document.activeElement]).toEqual(['false', field])
    expect(field).toHaveProperty('value', expect.stringMatching(/vela-32$/))
    await userEvent.keyboard('lyra')
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe(NO_MATCH)
    await userEvent.keyboard('{Escape}')
    expect(field).toHaveProperty('value', expect.stringMatching(/vela-32$/))
    // While the list is closed, what surrounds the field may use the key.
    expect(fireEvent.keyDown(field, { key: 'Escape' })).toBe(true)
    await userEvent.keyboard('lyra')
    await userEvent.tab()
    expect(field).toHaveProperty('value', expect.stringMatching(/vela-32$/))
  },
)
