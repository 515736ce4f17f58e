import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import type { ChartTexts } from '#ui/chart/chart-types.ts'

const words = nodeHistoryTexts.chart

export const CHART_TEXTS: ChartTexts = {
  crosshair: words.crosshair,
  zoom: words.zoom,
  readout: words.readout,
  noValue: words.noValue,
  usual: words.usual,
  usualOf: words.usualOf,
  limit: words.limit,
  noAnswer: words.noAnswer,
  notWatched: words.notWatched,
  event: words.event,
  showTable: words.showTable,
  tableLabel: words.table,
  timeHeader: words.time,
  stateHeader: words.state,
  emptyTable: words.emptyTable,
}
