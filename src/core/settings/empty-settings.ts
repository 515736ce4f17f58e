import { DEFAULTS } from '#base/defaults.ts'
import type { Settings } from './settings.ts'

/** What the schema gives for an empty document, without the schema: a page begins with it. */
export const EMPTY_SETTINGS: Settings = {
  version: 1,
  services: [],
  nodes: [],
  rules: [],
  display: { theme: 'system', contrast: 'system', timeZone: 'utc' },
  alarms: { rules: [], maintenance: [] },
  views: [],
  history: {
    samplesDays: DEFAULTS.historySamplesDays,
    rollupsDays: DEFAULTS.historyRollupsDays,
    budgetBytes: DEFAULTS.historyBudgetBytes,
  },
}
