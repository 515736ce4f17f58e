import { DEFAULTS } from '#base/defaults.ts'
import { writeBackup } from './backup.ts'
import { deleteNode } from './delete-node.ts'
import type { EventLog } from '#history/event-log.ts'
import { exportNode } from './export-node.ts'
import { survey } from '#history/store/housekeeping.ts'
import { importNode } from './import-node.ts'
import type { History, LaneData, LaneQuery } from '#history/history.ts'
import type { HistoryPorts } from '#history/store/store-state.ts'
import { createHistoryWriter, type HistoryWriter } from '#history/store/history-writer.ts'
import { lanesOf } from '#history/lanes.ts'
import { readEvents } from '#history/store/read-events.ts'
import { readSamples, readRollups } from '#history/store/read-node.ts'
import { readUsual } from '#history/store/read-usual.ts'
import { LANES_FORM } from '#history/store/records.ts'
import { rolledLanes } from '#history/rolled-lanes.ts'
import { restoreBackup } from './restore.ts'
import { tierFor } from '#history/tiers.ts'
import type { LineSource, TransferEnd, TransferSink, TransferTask } from './transfer.ts'

/** History that outlives the tab. Reading works from memory alone where the store does not. */
export type StoredHistory = History &
  Pick<HistoryWriter, 'start' | 'rest' | 'saved' | 'configure' | 'look' | 'dispose'> & {
    readonly status: HistoryWriter['state']['status']
    readonly log: EventLog
    /** Does what a person asks for. `taken` where another tab keeps history. */
    readonly transfer: (task: TransferTask<LineSource>, sink: TransferSink) => Promise<TransferEnd>
  }

export function createStoredHistory(ports: HistoryPorts): StoredHistory {
  const writer = createHistoryWriter(ports)
  const { state, start, rest, saved, configure, look, dispose } = writer
  return {
    append: async (batch) => writer.take(batch),
    readLanes: (query) => readLanes(writer, query),
    readUsual: (query) => readUsual(state, query),
    // What was kept stays: only what lies in memory goes where nothing is kept.
    forget: async (nodes) => {
      if (state.status.get().state !== 'kept') for (const node of nodes) state.head.forget(node)
    },
    status: state.status,
    log: {
      append: async (entries) => writer.note(entries),
      read: (query) => readEvents(state, query),
      watch: state.events.revision.subscribe,
    },
    transfer: (task, sink) => transfer(writer, task, sink),
    start,
    rest,
    saved,
    configure,
    look,
    dispose,
  }
}

async function transfer(
  writer: HistoryWriter,
  task: TransferTask<LineSource>,
  sink: TransferSink,
): Promise<TransferEnd> {
  const { state, saved } = writer
  if (state.status.get().state === 'elsewhere') return { kind: 'failed', failure: 'taken' }
  const go = (share: number): Promise<boolean> => sink('', share)
  await saved()
  const end = await carriedOut(writer, task, sink, go)
  // Of whatever came of it, some may be of the days that were looked at.
  state.usual = new Map()
  return end
}

async function carriedOut(
  { state, start }: HistoryWriter,
  task: TransferTask<LineSource>,
  sink: TransferSink,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  switch (task.what) {
    case 'export':
      return exportNode(state, task.query, sink)
    case 'backup':
      return writeBackup(state, task.settings, sink)
    case 'import':
      return importNode(state, task.file, go)
    case 'delete':
      return deleteNode(state, task.node, go)
    case 'restore': {
      const end = await restoreBackup(state, task.file, go)
      // Whatever came of it, what is kept may be other than it was.
      if (end.kind === 'refused') return end
      await start(undefined)
      await survey(state)
      return end
    }
  }
}

export async function readLanes(writer: HistoryWriter, query: LaneQuery): Promise<LaneData> {
  const { state } = writer
  const { reach } = state.status.get()
  const oldest = (at: number | undefined): number => at ?? Number.POSITIVE_INFINITY
  const everyMs = query.maxGapMs / DEFAULTS.staleAfterIntervals
  const tier = tierFor(query.toMs - query.fromMs, query.fromMs, everyMs, {
    samples: oldest(reach.samples),
    minute: oldest(reach.minute),
    quarter: oldest(reach.quarter),
    hour: oldest(reach.hour),
  })
  if (tier === 'samples') return lanesOf(await readSamples(state, query, query.maxGapMs), [], query)
  const rollup = await readRollups(state, tier, query, LANES_FORM)
  const spread = rollup.spread === undefined ? await readRollups(state, 'quarter', query, LANES_FORM) : rollup
  return rolledLanes(rollup, spread, query)
}
