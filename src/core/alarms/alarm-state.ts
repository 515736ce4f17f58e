import type { NodeKey } from '#fleet/live.ts'
import { endShelf } from './acts.ts'
import type { AlarmId, AlarmKind, AlarmSeverity, AlarmSubject } from './alarm.ts'
import { inhibited } from './inhibit.ts'
import {
  alarmIdOf,
  applyEvaluation,
  isForgettable,
  newInstance,
  type Evaluation,
  type Instance,
  type Moment,
  type Stepped,
  type Timing,
  type Transition,
} from './instance.ts'

/** One step of one alarm, for the journal. */
export type AlarmTransition = {
  readonly instance: Instance
  readonly transition: Transition
  readonly at: Moment
  /** The bigger alarm that explained it at that moment, so that nobody was notified. */
  readonly inhibitedBy?: AlarmId
}

/** What one rule says of one subject. `freshForMs`: for how long it holds when nothing new comes. */
export type RuleEvaluation = {
  readonly ruleId: string
  readonly kind: AlarmKind
  readonly subject: AlarmSubject
  readonly timing: Timing
  readonly evaluation: Evaluation
  readonly freshForMs: number
}

type AlarmStatePorts = {
  readonly momentOf: (subject: AlarmSubject) => Moment
  readonly onTransition: (transition: AlarmTransition) => void
  readonly changed: (change: Change) => void
}

/** `view`: only how it is shown. `memory`: what rules remember. `little`: what was evaluated last. `much`: what a person would miss. */
export type Change = 'view' | 'memory' | 'little' | 'much'

/** Alarms at once; beyond it the newest are not taken up. */
const INSTANCES_MAX = 40_000

export type AlarmState = ReturnType<typeof createAlarmState>

/** Every alarm of this screen, and what inhibits it. */
export function createAlarmState({ momentOf, onTransition, changed }: AlarmStatePorts) {
  const instances = new Map<AlarmId, Instance>()
  const reach = new Map<AlarmId, ReadonlySet<NodeKey>>()
  let inhibitedBy: ReadonlyMap<AlarmId, AlarmId> = new Map()
  const apply = ({ next, transitions }: Stepped): void => {
    const before = instances.get(next.id)
    if (next === before) return
    const isMuch = transitions.length > 0 || next.notifiedSeverity !== before?.notifiedSeverity
    changed(isMuch ? 'much' : 'little')
    if (isForgettable(next)) {
      instances.delete(next.id)
      reach.delete(next.id)
    } else if (before !== undefined || instances.size < INSTANCES_MAX) instances.set(next.id, next)
    const at = momentOf(next.subject)
    const by = inhibitedBy.get(next.id)
    for (const transition of transitions)
      onTransition({ instance: next, transition, at, ...(by !== undefined && { inhibitedBy: by }) })
  }
  const report = (instance: Instance, transition: Transition): void => {
    changed('view')
    if (instance.phase === 'firing') onTransition({ instance, transition, at: momentOf(instance.subject) })
  }

  return {
    get: (id: AlarmId): Instance | undefined => instances.get(id),
    all: (): readonly Instance[] => Array.from(instances.values()),
    /** Nodes that an alarm of more than one node explains. */
    reach,
    momentOf,
    inhibitedBy: (): ReadonlyMap<AlarmId, AlarmId> => inhibitedBy,
    /** Takes an alarm as it is now, and how it came to be so. */
    apply,
    /** Reports what happened to an alarm that is on. */
    report,
    restore: (instance: Instance) => void instances.set(instance.id, instance),
    endShelves: (): void => {
      for (const one of Array.from(instances.values()))
        if (one.shelved !== undefined) apply(endShelf(one, momentOf(one.subject)))
    },
    setNotified: (id: AlarmId, severity: AlarmSeverity | undefined): void => {
      const one = instances.get(id)
      if (one !== undefined) apply({ next: { ...one, notifiedSeverity: severity }, transitions: [] })
    },
    evaluate: ({ ruleId, kind, subject, timing, evaluation, freshForMs }: RuleEvaluation): void => {
      const id = alarmIdOf(ruleId, subject)
      const known = instances.get(id)
      // Nothing is wrong and nothing was: most evaluations end here.
      if (known === undefined && evaluation.state !== 'bad') return
      const now = momentOf(subject)
      const before = known ?? newInstance({ id, ruleId, kind, subject }, now)
      apply(applyEvaluation(before, timing, { ...evaluation, freshForMs }, now))
    },
    close: (gone: readonly Instance[], reason: 'node-removed' | 'rule-removed'): void => {
      if (gone.length === 0) return
      for (const instance of gone) {
        instances.delete(instance.id)
        reach.delete(instance.id)
        const at = momentOf(instance.subject)
        onTransition({ instance, transition: { name: 'closed', reason }, at })
      }
      changed('much')
    },
    /** Finds anew which alarms explain which. */
    inhibit: (): void => {
      const before = inhibitedBy
      inhibitedBy = inhibited(instances.values(), reach)
      for (const one of instances.values()) {
        const [was, is] = [before.get(one.id), inhibitedBy.get(one.id)]
        if (was === is) continue
        if ((was === undefined) === (is === undefined)) changed('view')
        else if (is === undefined) report(one, { name: 'released', reason: was ?? '' })
        else report(one, { name: 'inhibited', reason: is })
      }
    },
  }
}
