import * as v from 'valibot'
import { RULE_PARTS } from './rules.ts'

const NOT_IN_ORDER = 'has to be more than the limit before it'
const isInOrder = (low: number | null | undefined, high: number | null | undefined): boolean =>
  typeof low !== 'number' || typeof high !== 'number' || low < high

/** What one scope says, as a form has it: limits of a pair stand in their order. Apart, since the first page needs no forms. */
export const RulePartsSchema = v.pipe(
  v.strictObject(RULE_PARTS),
  v.forward(
    v.partialCheck(
      [
        ['limits', 'participationBelow'],
        ['limits', 'participationAbove'],
      ],
      ({ limits }) => isInOrder(limits.participationBelow, limits.participationAbove),
      NOT_IN_ORDER,
    ),
    ['limits', 'participationAbove'],
  ),
  v.forward(
    v.partialCheck(
      [
        ['limits', 'heartbeatWarningMs'],
        ['limits', 'heartbeatCriticalMs'],
      ],
      ({ limits }) => isInOrder(limits.heartbeatWarningMs, limits.heartbeatCriticalMs),
      NOT_IN_ORDER,
    ),
    ['limits', 'heartbeatCriticalMs'],
  ),
)
