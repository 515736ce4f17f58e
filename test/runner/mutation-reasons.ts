import { CORE_ALARMS } from './mutation-reasons/core-alarms.ts'
import { CORE_BASE } from './mutation-reasons/core-base.ts'
import { CORE_EVALUATE } from './mutation-reasons/core-evaluate.ts'
import { CORE_FLEET } from './mutation-reasons/core-fleet.ts'
import { CORE_HISTORY } from './mutation-reasons/core-history.ts'
import { CORE_KEYS } from './mutation-reasons/core-keys.ts'
import { CORE_METRICS } from './mutation-reasons/core-metrics.ts'
import { CORE_MONITOR } from './mutation-reasons/core-monitor.ts'
import { CORE_PIPELINE } from './mutation-reasons/core-pipeline.ts'
import { CORE_PROMETHEUS } from './mutation-reasons/core-prometheus.ts'
import { CORE_PROOF } from './mutation-reasons/core-proof.ts'
import { CORE_PROTOCOL } from './mutation-reasons/core-protocol.ts'
import { CORE_RECORD } from './mutation-reasons/core-record.ts'
import { CORE_SETTINGS } from './mutation-reasons/core-settings.ts'
import { CORE_SIGNING } from './mutation-reasons/core-signing.ts'
import { NODE_COLLECTOR } from './mutation-reasons/node-collector.ts'
import { NODE_PROBE } from './mutation-reasons/node-probe.ts'
import { NODE_REFERENCE } from './mutation-reasons/node-reference.ts'
import { NODE_SERVER } from './mutation-reasons/node-server.ts'
import type { Reason } from './mutation-score.ts'

/**
 * Why changes to the files of one folder survive. A change is the text that was there and what it became, each run of
 * spaces and line ends as one space; the text alone stands for whatever it became.
 */
export type FolderReasons = Readonly<Record<string, readonly FileReason[]>>

type FileReason = Pick<Reason, 'kind' | 'reason'> & {
  readonly changes: readonly (string | readonly [original: string, replacement: string])[]
}

const FOLDERS: Readonly<Record<string, FolderReasons>> = {
  'core/alarms': CORE_ALARMS,
  'core/base': CORE_BASE,
  'core/evaluate': CORE_EVALUATE,
  'core/fleet': CORE_FLEET,
  'core/history': CORE_HISTORY,
  'core/keys': CORE_KEYS,
  'core/metrics': CORE_METRICS,
  'core/monitor': CORE_MONITOR,
  'core/pipeline': CORE_PIPELINE,
  'core/prometheus': CORE_PROMETHEUS,
  'core/proof': CORE_PROOF,
  'core/protocol': CORE_PROTOCOL,
  'core/record': CORE_RECORD,
  'core/settings': CORE_SETTINGS,
  'core/signing': CORE_SIGNING,
  'node/collector': NODE_COLLECTOR,
  'node/probe': NODE_PROBE,
  'node/reference': NODE_REFERENCE,
  'node/server': NODE_SERVER,
}

/** Why changes survive. A run names those it no longer needs. */
export const REASONS: readonly Reason[] = Object.entries(FOLDERS).flatMap(([folder, files]) =>
  Object.entries(files).flatMap(([file, reasons]) =>
    reasons.flatMap(({ kind, reason, changes }) =>
      changes.map((change): Reason => {
        const [original, replacement] = typeof change === 'string' ? [change] : change
        return { file: `src/${folder}/${file}`, original, replacement, kind, reason }
      }),
    ),
  ),
)
