import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { Skeleton } from '#ui/empty.tsx'
import { late } from '#ui/late.tsx'

/** Lazy, because Recharts is larger than everything else together and the first status does not need it. */
export const StripChart = late(
  async () => (await import('#ui/chart/strip-chart.tsx')).StripChart,
  () => <Skeleton label={nodeHistoryTexts.chart.loading} lines={8} />,
)
