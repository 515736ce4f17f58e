import { useMemo } from 'react'
import { FAILURE_KINDS, SELF_KINDS, SHARED_KINDS, type AlarmKind, type FixedKind } from '#alarms/alarm.ts'
import { builtInTests, type BuiltInTest } from '#alarms/built-in-rules.ts'
import { kindOf } from '#alarms/metric-values.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { useDashboard } from '#react/dashboard.ts'
import type { BuiltInChange } from '#settings/schema.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { DataTable, type DataColumn } from '#ui/data-table.tsx'
import { changeText } from '#texts/en-built-in.ts'

const words = alarmRuleTexts.defaults

type RuleSeverity = keyof typeof words.severity
type Rule = { readonly kind: AlarmKind; readonly when: string; readonly severity: RuleSeverity }

const WHEN = { ...words.when, ...words.test }

const SEVERITIES: Readonly<Record<FixedKind | BuiltInTest, RuleSeverity>> = {
  unreachable: 'as-failure',
  rejected: 'warning',
  'key-rejected': 'as-failure',
  paused: 'as-failure',
  network: 'as-failure',
  'clock-skew': 'as-corrected',
  'round-too-long': 'warning',
  blind: 'critical',
  throttled: 'warning',
  gap: 'info',
  'page-blocked': 'warning',
  'engine-lost': 'warning',
  'not-saving': 'warning',
  'sound-blocked': 'warning',
  'memory-high': 'warning',
  'old-version': 'info',
  'page-errors': 'warning',
  'rule-failed': 'critical',
  old: 'as-old',
  left: 'as-word',
  below: 'warning',
  above: 'warning',
  wrong: 'critical',
  differs: 'warning',
}

const ruleOf = (kind: AlarmKind, of: FixedKind | BuiltInTest): Rule => ({
  kind,
  when: WHEN[of],
  severity: SEVERITIES[of],
})

const rulesOf = (metrics: MetricRegistry): readonly Rule[] => [
  ...metrics.flatMap((metric) => builtInTests(metric).map((test) => ruleOf(kindOf(metric.id, test), test))),
  ...Array.from(new Set([...FAILURE_KINDS, ...SHARED_KINDS, ...SELF_KINDS]), (kind) => ruleOf(kind, kind)),
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
        <span className="data-table-under text-11 ink-3">{stateText(rule, changes)}</span>
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
