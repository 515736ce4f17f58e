import type { Cause } from '#monitor/causes.ts'
import type { FleetSnapshot, NodeKey } from '#monitor/live.ts'
import { CauseBanner } from './cause-banner.tsx'

type CauseListProps = {
  readonly causes: readonly Cause[]
  readonly fleet: FleetSnapshot
  readonly node: NodeKey | undefined
}

/** One message a cause. With its words, larger than the rest of the bar: fetched after the first status. */
export const CauseList = ({ causes, fleet, node }: CauseListProps) =>
  causes.map((cause) => <CauseBanner key={cause.id} cause={cause} fleet={fleet} node={node} />)
