import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { AlarmRule } from '#settings/schema.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { isMoreSevere, type AlarmId } from './alarm.ts'
import type { RuleEvaluation } from './alarm-state.ts'
import { builtInRules, freshFor, UNREACHABLE, type NodeContext } from './built-in-rules.ts'
import { withSeverity, withTiming, type BuiltInSettingsOf } from './built-in-settings.ts'
import { evaluateCondition, type Memory } from './metric-conditions.ts'
import { alarmIdOf, UNKNOWN, nodeIn, type Instance, type Moment } from './instance.ts'
import { isInScope } from './maintenance-windows.ts'
import { kindOf, readMetric, type MetricReading } from './metric-values.ts'
import type { PolledNode } from './watched-fleet.ts'

export type NodeRules = ReturnType<typeof createNodeRules>

/**
 * Evaluates the built-in and operator's rules of single nodes and stores their memory. A rule that throws is recorded and
 * skipped.
 */
export function createNodeRules(registry: MetricRegistry, failures: RuleFailures) {
  const builtIn = builtInRules(registry)
  const memory = new Map<AlarmId, Memory>()
  return {
    evaluate: (
      polled: PolledNode,
      now: FleetSnapshot,
      rules: readonly AlarmRule[],
      settingsOf: BuiltInSettingsOf,
      at: Pick<Moment, 'awakeMs' | 'wallMs'>,
    ): readonly RuleEvaluation[] => {
      const { node } = polled
      const context = contextOf(polled, now)
      const subject = { kind: 'node', node: node.key, serviceId: node.serviceId } as const
      const freshForMs = freshFor(context)
      const fixed = builtIn.flatMap(({ kind, timing, evaluate }): readonly RuleEvaluation[] => {
        const settings = settingsOf(kind, subject)
        if (settings?.off === true) return []
        const evaluation = failures.isolate(alarmIdOf(kind, subject), UNKNOWN, () => evaluate(context))
        return [
          {
            ruleId: kind,
            kind,
            subject,
            timing: withTiming(timing, settings),
            evaluation: withSeverity(evaluation, settings),
            freshForMs,
          },
        ]
      })
      const own = rules.flatMap((rule): readonly RuleEvaluation[] => {
        if (rule.off || !isInScope(rule.scope, subject, now)) return []
        const id = alarmIdOf(rule.id, subject)
        const result = failures.isolate(id, { evaluation: UNKNOWN, memory: undefined }, () =>
          evaluateCondition(rule, readingFor(rule, context, registry), memory.get(id), { ...at, freshForMs }),
        )
        if (result.memory !== undefined) memory.set(id, result.memory)
        const kind = kindOf(rule.condition.metric, rule.condition.test)
        return [{ ruleId: rule.id, kind, subject, timing: rule, evaluation: result.evaluation, freshForMs }]
      })
      return [...fixed, ...own]
    },
    forget: (isGone: (ruleId: string, node: NodeKey) => boolean): void => {
      const isOfGone = (id: AlarmId): boolean => isGone(id.slice(0, id.indexOf(' ')), nodeIn(id))
      for (const id of memory.keys()) if (isOfGone(id)) memory.delete(id)
      failures.forget(isOfGone)
    },
    memory: (): readonly (readonly [AlarmId, Memory])[] => Array.from(memory),
    restore: (stored: readonly (readonly [AlarmId, Memory])[]): void => {
      for (const [id, one] of stored) memory.set(id, one)
    },
  }
}

/** Undefined without a new reading, and for an unknown metric. */
function readingFor(
  { condition }: AlarmRule,
  { node, settings, nowMs }: NodeContext,
  registry: MetricRegistry,
): MetricReading | undefined {
  const metric = registry.find(({ id }) => id === condition.metric)
  return metric === undefined || node.episode !== undefined
    ? undefined
    : readMetric(metric, node, settings, nowMs)
}

const contextOf = ({ node, service }: PolledNode, { causes, nowMs }: FleetSnapshot): NodeContext => ({
  node,
  service: service.service,
  settings: effectiveSettings(service.rules, node),
  causes,
  nowMs,
})

/**
 * Alarms of failures that became more severe without a new poll, because the next one may be an hour away. A delay that an
 * operator set still applies.
 */
export const evaluateUnpolled = (
  instances: readonly Instance[],
  now: FleetSnapshot,
  settingsOf: BuiltInSettingsOf,
): readonly RuleEvaluation[] =>
  instances.flatMap(({ kind, phase, subject, severity }) => {
    if (kind !== UNREACHABLE.kind || phase !== 'firing' || subject.kind !== 'node') return []
    const node = now.nodes.get(subject.node)
    const service = now.services.get(subject.serviceId)
    const settings = settingsOf(kind, subject)
    if (node === undefined || service === undefined || settings?.off === true) return []
    const context = contextOf({ node, service }, now)
    const { timing, evaluate } = UNREACHABLE
    const evaluation = withSeverity(evaluate(context), settings)
    return evaluation.state === 'bad' && isMoreSevere(evaluation.severity, severity)
      ? [{ ruleId: kind, kind, subject, timing, evaluation, freshForMs: freshFor(context) }]
      : []
  })

type RuleFailures = ReturnType<typeof createRuleFailures>

const NAMED_MAX = 3

/** Isolates a defect of one rule and stores its message until the rule succeeds. */
export function createRuleFailures() {
  const failed = new Map<string, string>()
  return {
    isolate: <T>(what: string, otherwise: T, evaluate: () => T): T => {
      try {
        const found = evaluate()
        failed.delete(what)
        return found
      } catch (error) {
        failed.set(what, error instanceof Error ? error.message : String(error))
        return otherwise
      }
    },
    forget: (isGone: (what: string) => boolean): void => {
      for (const what of failed.keys()) if (isGone(what)) failed.delete(what)
    },
    text: (): string | undefined => {
      const byRule = new Map(Array.from(failed, ([what, why]) => [what.split(' ', 1)[0], why] as const))
      const named = Array.from(byRule, ([rule, why]) => `${rule}: ${why}`)
      const more = named.length - NAMED_MAX
      if (named.length === 0) return undefined
      return [...named.slice(0, NAMED_MAX), ...(more > 0 ? [`+ ${more}`] : [])].join('; ')
    },
  }
}
