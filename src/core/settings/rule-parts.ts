import * as v from 'valibot'
import { RULE_PARTS } from './rules.ts'

const NOT_IN_ORDER = 'has to be more than the limit before it'
const isInOrder = (low: number | null | undefined, high: number | null | undefined): boolean =>
  typeof low !== 'number' || typeof high !== 'number' || low < high

const limit = <const Name extends string>(name: Name) => ['limits', name] as const

/** What one scope says, as a form has it: limits of a pair stand in their order. Apart, since the first page needs no forms. */
export const RulePartsSchema = v.pipe(
  v.strictObject(RULE_PARTS),
  v.forward(
    v.partialCheck(
      [limit('participationBelow'), limit('participationAbove')],
      ({ limits }) => isInOrder(limits.participationBelow, limits.participationAbove),
      NOT_IN_ORDER,
    ),
    limit('participationAbove'),
  ),
  v.forward(
    v.partialCheck(
      [limit('heartbeatWarningMs'), limit('heartbeatCriticalMs')],
      ({ limits }) => isInOrder(limits.heartbeatWarningMs, limits.heartbeatCriticalMs),
      NOT_IN_ORDER,
    ),
    limit('heartbeatCriticalMs'),
  ),
)
