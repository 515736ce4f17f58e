import { DEFAULTS } from '#base/defaults.ts'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { LinkButton } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import type { DataColumn } from '#ui/data-row.tsx'
import { Panel } from '#ui/panel.tsx'

const words = alarmRuleTexts.defaults
const { when } = words

type Rule = { readonly kind: string; readonly when: string; readonly severity: keyof typeof words.severity }

const MINUTE_MS = 60_000

/** Every rule that needs no tuning, and what it goes by. */
const RULES: readonly Rule[] = [
  {
    kind: 'heartbeat-old',
    when: when['heartbeat-old'](DEFAULTS.heartbeatWarningPeriods, DEFAULTS.heartbeatCriticalPeriods),
    severity: 'as-old',
  },
  { kind: 'unreachable', when: when.unreachable, severity: 'as-failure' },
  { kind: 'rejected', when: when.rejected, severity: 'as-failure' },
  { kind: 'key-rejected', when: when['key-rejected'], severity: 'as-failure' },
  { kind: 'status-left', when: when['status-left'], severity: 'as-word' },
  { kind: 'participation-low', when: when['participation-low'], severity: 'warning' },
  { kind: 'participation-high', when: when['participation-high'], severity: 'warning' },
  { kind: 'stake-low', when: when['stake-low'], severity: 'warning' },
  { kind: 'answer-slow', when: when['answer-slow'], severity: 'warning' },
  { kind: 'paused', when: when.paused, severity: 'as-failure' },
  { kind: 'network', when: when.network, severity: 'as-failure' },
  { kind: 'clock-skew', when: when['clock-skew'], severity: 'as-failure' },
  {
    kind: 'blind',
    when: when.blind(DEFAULTS.blindAfterIntervals, DEFAULTS.blindAfterMinMs / MINUTE_MS),
    severity: 'critical',
  },
  { kind: 'throttled', when: when.throttled, severity: 'warning' },
  { kind: 'not-saving', when: when['not-saving'], severity: 'warning' },
  { kind: 'sound-blocked', when: when['sound-blocked'], severity: 'warning' },
]

const keyOf = ({ kind }: Rule): string => kind

const COLUMNS: readonly DataColumn<Rule>[] = [
  {
    id: 'rule',
    header: words.columns.what,
    track: 'minmax(11rem, 1fr)',
    narrowTrack: '9rem',
    cell: ({ kind }) => <span className="ink1">{alarmName(kind)}</span>,
  },
  {
    id: 'when',
    header: words.columns.when,
    track: 'minmax(14rem, 3fr)',
    narrowTrack: 'minmax(0, 1fr)',
    cell: (rule) => <span title={rule.when}>{rule.when}</span>,
  },
  {
    id: 'severity',
    header: words.columns.severity,
    track: '11rem',
    narrowTrack: null,
    cell: ({ severity }) => words.severity[severity],
  },
]

/** What holds without anybody adding a rule, with its limits and where those are set. */
export const DefaultRules = () => (
  <Panel
    title={words.title}
    note={words.lead}
    flush
    actions={
      <LinkButton size="small" href={hrefOf(`${SETTINGS_PATH}/units`)}>
        {words.setLimits}
      </LinkButton>
    }
  >
    <DataTable<Rule>
      label={words.title}
      columns={COLUMNS}
      rows={RULES}
      rowKey={keyOf}
      maxHeight="none"
      empty={null}
    />
  </Panel>
)
