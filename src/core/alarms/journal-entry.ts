import type { EventFacts, LogEntry } from '#history/event-log.ts'
import type { AlarmValue } from './alarm.ts'
import type { TransitionName } from './instance.ts'
import type { AlarmTransition } from './alarm-state.ts'

/** What would have called somebody. */
const CALLS: readonly TransitionName[] = ['raised', 'worse', 'relapsed']

/** A step of an alarm as the journal keeps it: with its reason, and both clocks. */
export function entryOf({ instance, transition, at, inhibitedBy }: AlarmTransition): LogEntry {
  const { id, ruleId, kind, subject, severity, value, limit } = instance
  const { name, reason, note } = transition
  const facts: EventFacts = {
    alarm: id,
    kind,
    ...(ruleId !== kind && { rule: ruleId }),
    severity,
    reason,
    ...(note !== undefined && { note }),
    ...(inhibitedBy !== undefined && CALLS.includes(name) && { inhibitedBy }),
    ...(value !== undefined && factsOf('value', value)),
    ...(limit !== undefined && factsOf('limit', limit)),
  }
  return {
    wallMs: at.wallMs,
    ...(at.serviceMs !== undefined && { serviceMs: at.serviceMs }),
    area: reason === 'by-person' ? 'operator' : 'alarm',
    what: `alarm-${name}`,
    ...('serviceId' in subject && { serviceId: subject.serviceId }),
    ...(subject.kind === 'node' && { nodeKey: subject.node }),
    facts,
  }
}

function factsOf(name: 'value' | 'limit', value: AlarmValue): EventFacts {
  const unit = { [`${name}Unit`]: value.unit }
  switch (value.unit) {
    case 'ms':
    case 'ratio':
    case 'per-hour':
    case 'count':
    case 'nodes':
      return { [name]: value.value, ...unit }
    case 'stake':
      return { [name]: value.text, ...unit, ...(value.before !== undefined && { before: value.before }) }
    case 'status':
    case 'reason':
      return { [name]: value.text, ...unit }
    case 'failure':
      return { [name]: value.code, ...unit }
  }
}
