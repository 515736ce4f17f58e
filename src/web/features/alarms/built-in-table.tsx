import { MINUTE_MS } from '#base/time.ts'
import { useMemo } from 'react'
import { FAILURE_KINDS, SELF_KINDS, SHARED_KINDS, type AlarmKind, type FixedKind } from '#alarms/alarm.ts'
import { builtInTests, type BuiltInTest } from '#alarms/built-in-rules.ts'
import { kindOf } from '#alarms/metric-values.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { useDashboard } from '#react/dashboard.ts'
import type { BuiltInChange } from '#settings/schema.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { DataTable, type DataColumn } from '#ui/data-table.tsx'
import { changeText } from '#texts/en-built-in.ts'

const words = alarmRuleTexts.defaults
const { when, test: tests } = words

type RuleSeverity = keyof typeof words.severity
type Rule = { readonly kind: AlarmKind; readonly when: string; readonly severity: RuleSeverity }

const SECOND_MS = 1_000

const FIXED: Readonly<Record<FixedKind, Omit<Rule, 'kind'>>> = {
  unreachable: { when: when.unreachable, severity: 'as-failure' },
  rejected: { when: when.rejected, severity: 'as-failure' },
  'key-rejected': { when: when['key-rejected'], severity: 'as-failure' },
  paused: { when: when.paused, severity: 'as-failure' },
  network: { when: when.network, severity: 'as-failure' },
  'clock-skew': { when: when['clock-skew'], severity: 'as-failure' },
  'round-too-long': { when: when['round-too-long'], severity: 'warning' },
  blind: {
    when: when.blind(DEFAULTS.blindAfterIntervals, DEFAULTS.blindAfterMinMs / MINUTE_MS),
    severity: 'critical',
  },
  throttled: { when: when.throttled, severity: 'warning' },
  gap: { when: when.gap, severity: 'info' },
  'page-blocked': { when: when['page-blocked'](DEFAULTS.pageBlockedMs / SECOND_MS), severity: 'warning' },
  'engine-lost': { when: when['engine-lost'], severity: 'warning' },
  'not-saving': { when: when['not-saving'], severity: 'warning' },
  'sound-blocked': { when: when['sound-blocked'], severity: 'warning' },
  'memory-high': { when: when['memory-high'], severity: 'warning' },
  'old-version': { when: when['old-version'], severity: 'info' },
  'page-errors': { when: when['page-errors'], severity: 'warning' },
  'rule-failed': { when: when['rule-failed'], severity: 'critical' },
}

const OF_TEST: Readonly<Record<BuiltInTest, Omit<Rule, 'kind'>>> = {
  old: {
    when: tests.old(DEFAULTS.heartbeatWarningPeriods, DEFAULTS.heartbeatCriticalPeriods),
    severity: 'as-old',
  },
  left: { when: tests.left, severity: 'as-word' },
  below: { when: tests.below, severity: 'warning' },
  above: { when: tests.above, severity: 'warning' },
  wrong: { when: tests.wrong, severity: 'critical' },
  differs: { when: tests.differs, severity: 'warning' },
}

const rulesOf = (metrics: MetricRegistry): readonly Rule[] => [
  ...metrics.flatMap((metric) =>
    builtInTests(metric).map((test): Rule => ({ kind: kindOf(metric.id, test), ...OF_TEST[test] })),
  ),
  ...Array.from(new Set([...FAILURE_KINDS, ...SHARED_KINDS, ...SELF_KINDS]), (kind): Rule => ({
    kind,
    ...FIXED[kind],
  })),
]

/** For example "disabled", or "critical, 1 exception". */
function stateText({ kind, severity }: Rule, changes: readonly BuiltInChange[]): string {
  const own = changes.filter(({ rule }) => rule === kind)
  const forAll = own.find(({ scope }) => scope.for === 'all')
  const exceptions = own.filter(({ scope }) => scope.for !== 'all').length
  return [
    forAll === undefined ? words.severity[severity] : changeText(forAll, words.severity[severity]),
    ...(exceptions > 0 ? [words.exceptions(exceptions)] : []),
  ].join(', ')
}

/** On the narrowest phone, the longest sentence wraps to four lines. */
const ROW = { wide: 2, narrow: 4.5 } as const

const keyOf = ({ kind }: Rule): string => kind

const columnsOf = (
  metrics: MetricRegistry,
  changes: readonly BuiltInChange[],
): readonly DataColumn<Rule>[] => [
  {
    id: 'rule',
    header: words.columns.what,
    track: 'minmax(11rem, 1fr)',
    narrowTrack: 'minmax(0, 2fr)',
    cell: (rule) => (
      <>
        <span className="data-table-sentence ink-1">{alarmName(rule.kind, metrics)}</span>
        <span className="data-table-under">{stateText(rule, changes)}</span>
      </>
    ),
  },
  {
    id: 'when',
    header: words.columns.when,
    track: 'minmax(14rem, 3fr)',
    narrowTrack: 'minmax(0, 3fr)',
    cell: (rule) => (
      <span className="data-table-sentence" title={rule.when}>
        {rule.when}
      </span>
    ),
  },
  {
    id: 'severity',
    header: words.columns.severity,
    track: '14rem',
    narrowTrack: null,
    cell: (rule) => stateText(rule, changes),
  },
]

type BuiltInTableProps = {
  readonly changes: readonly BuiltInChange[]
  readonly onOpen: (rule: AlarmKind) => void
}

export function BuiltInTable({ changes, onOpen }: BuiltInTableProps) {
  const { metrics } = useDashboard()
  const columns = useMemo(() => columnsOf(metrics, changes), [metrics, changes])
  const rules = useMemo(() => rulesOf(metrics), [metrics])
  return (
    <DataTable<Rule>
      label={words.title}
      columns={columns}
      rows={rules}
      rowKey={keyOf}
      rowRem={ROW}
      maxHeight="none"
      empty={null}
      onOpen={({ kind }) => onOpen(kind)}
    />
  )
}
