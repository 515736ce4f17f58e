import type { AlarmSubject } from '#alarms/alarm.ts'
import {
  builtInKinds,
  createBuiltInSettings,
  scopesOf,
  type BuiltInSettings,
} from '#alarms/built-in-settings.ts'
import { testOf } from '#alarms/metric-values.ts'
import { groupBy } from '#base/group-by.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { Labels } from '#node/metrics-text.ts'
import type { BuiltInChange } from '#settings/schema.ts'
import { labelsOf, type ExposedFleet, type Family } from './node-families.ts'

export type AlertingRule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly keep_firing_for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** A duration as Prometheus reads it. */
export const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)}s`

export const pascal = (text: string): string =>
  text.replace(/(?:^|[-\s])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())

const OF_NODES = 'immune_node_rule'
const OF_SERVICES = 'immune_node_service_rule'
const OFF = 'off'

/** The changes to built-in rules for each node and service, so that rules need no list of nodes or tags. */
export function changedRuleFamilies(registry: MetricRegistry, changes: () => readonly BuiltInChange[]) {
  const kinds = builtInKinds(registry)
  const family = (
    name: string,
    of: 'node' | 'service',
    subjects: (fleet: ExposedFleet) => readonly Subject[],
  ): Family => ({
    name,
    help: `Built-in rules with changed settings for the ${of}, as labels: severity (or "off") and "for" (the delay). Always 1.`,
    type: 'gauge',
    points: (fleet) => {
      const nodes = new Map(fleet.nodes.map((node) => [node.key, node]))
      const settingsOf = createBuiltInSettings(changes(), () => ({ nodes }))
      const rules = kinds.filter(
        (kind) => changes().some(({ rule }) => rule === kind) && subjectOf(kind) === of,
      )
      if (rules.length === 0) return []
      return subjects(fleet).flatMap(([labels, subject]) =>
        rules.flatMap((rule) => {
          const settings = settingsOf(rule, subject)
          const values = settings && labelsOfChange(settings)
          return values === undefined ? [] : [{ labels: { ...labels, rule, ...values }, value: 1 }]
        }),
      )
    },
  })
  return {
    ofNodes: family(OF_NODES, 'node', (fleet) =>
      fleet.nodes.map((node) => [
        labelsOf(node, fleet),
        { kind: 'node', node: node.key, serviceId: node.serviceId },
      ]),
    ),
    ofServices: family(OF_SERVICES, 'service', ({ services }) =>
      Array.from(services.values(), ({ id, service }) => [
        { service: service.baseUrl },
        { kind: 'service', serviceId: id },
      ]),
    ),
  }
}

type Subject = readonly [labels: Labels, subject: AlarmSubject]

const subjectOf = (kind: string): 'node' | 'service' | 'screen' => {
  const scopes = scopesOf(kind)
  return scopes.includes('node') ? 'node' : scopes.includes('service') ? 'service' : 'screen'
}

type ChangeLabels = { readonly severity: string; readonly for: string }

/** Undefined if everything is the rule's own. Prometheus reads an empty label as an absent one. */
function labelsOfChange({ off, severity, forMs }: BuiltInSettings): ChangeLabels | undefined {
  if (off) return { severity: OFF, for: '' }
  if (severity === undefined && forMs === undefined) return undefined
  return { severity: severity ?? '', for: forMs === undefined ? '' : seconds(forMs) }
}

/** The alerting rules with a further rule for each severity and delay that the configuration names. */
export function withChanges(
  rules: readonly AlertingRule[],
  changes: readonly BuiltInChange[],
): readonly AlertingRule[] {
  const ofKinds = groupBy(rules, ({ labels }) => labels['kind'] ?? '')
  return Array.from(ofKinds).flatMap(([kind, own]) => {
    const ofKind = changes.filter(({ rule }) => rule === kind)
    return ofKind.length === 0 ? own : changedRules(kind, own, ofKind)
  })
}

function changedRules(
  kind: string,
  rules: readonly AlertingRule[],
  changes: readonly BuiltInChange[],
): readonly AlertingRule[] {
  const subject = subjectOf(kind)
  if (subject === 'screen') {
    const settings = createBuiltInSettings(changes, () => undefined)(kind, { kind: 'screen' })
    const values = settings && labelsOfChange(settings)
    return values === undefined
      ? rules
      : values.severity === OFF
        ? []
        : variant(rules, values, (expr) => expr)
  }
  const severities = valuesOf(changes.map(({ severity }) => severity))
  const delays = valuesOf(changes.map(({ forMs }) => (forMs === undefined ? undefined : seconds(forMs))))
  const name = subject === 'node' ? OF_NODES : OF_SERVICES
  const on = subject === 'service' ? 'service' : testOf(kind) === 'differs' ? 'node' : 'service, node'
  const series = (labels: string): string => `on (${on}) ${name}{rule="${kind}",${labels}}`
  // A change made after these rules were written matches none of them, so the rule's own values apply.
  const known = `severity=~"${[OFF, ...severities].join('|')}",for=~"${delays.join('|')}"`
  return [
    ...rules.map((rule) => ({ ...rule, expr: `(${rule.expr}) unless ${series(known)}` })),
    ...severities
      .flatMap((severity) => delays.map((delay) => ({ severity, for: delay })))
      .filter((values) => values.severity !== '' || values.for !== '')
      .flatMap((values) =>
        variant(
          rules,
          values,
          (expr) => `(${expr}) and ${series(`severity="${values.severity}",for="${values.for}"`)}`,
        ),
      ),
  ]
}

/** Includes the empty value, which stands for the rule's own. */
const valuesOf = (values: readonly (string | undefined)[]): readonly string[] =>
  Array.from(new Set(['', ...values.filter((value) => value !== undefined)]))

const waitOf = (rule: AlertingRule): number => Number.parseInt(rule.for ?? '0', 10)

/** One rule for all steps if they get one severity; otherwise each step, the later ones no earlier than before. */
function variant(
  rules: readonly AlertingRule[],
  values: ChangeLabels,
  restrict: (expr: string) => string,
): readonly AlertingRule[] {
  const [first] = rules.toSorted((a, b) => waitOf(a) - waitOf(b))
  if (first === undefined) return []
  const steps =
    values.severity === ''
      ? rules
      : [{ ...first, expr: Array.from(new Set(rules.map(({ expr }) => expr))).join(' or ') }]
  return steps.map((rule) => {
    const { for: own, ...rest } = rule
    const isLater = waitOf(rule) > waitOf(first)
    const wait =
      values.for === '' ? own : `${Math.max(Number.parseInt(values.for, 10), isLater ? waitOf(rule) : 0)}s`
    return {
      ...rest,
      alert: `${rule.alert}${pascal(values.severity)}${values.for === '' ? '' : `After${values.for}`}`,
      expr: restrict(rule.expr),
      ...(wait !== undefined && wait !== '0s' && { for: wait }),
      labels: { ...rule.labels, ...(values.severity !== '' && { severity: values.severity }) },
    }
  })
}
