import { DEFAULTS } from '#base/defaults.ts'
import { writeBackup } from './backup.ts'
import { deleteNode } from './delete-node.ts'
import type { EventLog } from '#history/event-log.ts'
import { exportNode } from './export-node.ts'
import { survey } from '#history/store/housekeeping.ts'
import { importNode } from './import-node.ts'
import type { History, LaneData, LaneQuery } from '#history/history.ts'
import type { KeeperPorts } from '#history/store/keeper-room.ts'
import { createKeeper, type Keeper } from '#history/store/keeper.ts'
import { lanesOf } from '#history/lanes.ts'
import { readEvents } from '#history/store/read-events.ts'
import { readSamples, readSums } from '#history/store/read-node.ts'
import { readUsual } from '#history/store/read-usual.ts'
import { LANES_FORM } from '#history/store/records.ts'
import { rolledLanes } from '#history/rolled-lanes.ts'
import { restoreBackup } from './restore.ts'
import { tierFor } from '#history/tiers.ts'
import type { LineSource, TransferEnd, TransferSink, TransferTask } from './transfer.ts'

/** History that outlives the tab. Reading works from memory alone where the store does not. */
export type StoredHistory = History &
  Pick<Keeper, 'start' | 'rest' | 'saved' | 'configure' | 'look' | 'dispose'> & {
    readonly status: Keeper['room']['status']
    readonly log: EventLog
    /** Does what a person asks for. `taken` where another tab keeps history. */
    readonly transfer: (task: TransferTask<LineSource>, sink: TransferSink) => Promise<TransferEnd>
  }

export function createStoredHistory(ports: KeeperPorts): StoredHistory {
  const keeper = createKeeper(ports)
  const { room, start, rest, saved, configure, look, dispose } = keeper
  return {
    append: async (batch) => keeper.take(batch),
    readLanes: (query) => readLanes(keeper, query),
    readUsual: (query) => readUsual(room, query),
    // What was kept stays: only what lies in memory goes where nothing is kept.
    forget: async (nodes) => {
      if (room.status.get().state !== 'kept') for (const node of nodes) room.tail.forget(node)
    },
    status: room.status,
    log: {
      append: async (entries) => keeper.note(entries),
      read: (query) => readEvents(room, query),
      watch: room.events.revision.subscribe,
    },
    transfer: (task, sink) => transfer(keeper, task, sink),
    start,
    rest,
    saved,
    configure,
    look,
    dispose,
  }
}

async function transfer(
  keeper: Keeper,
  task: TransferTask<LineSource>,
  sink: TransferSink,
): Promise<TransferEnd> {
  const { room, saved } = keeper
  if (room.status.get().state === 'elsewhere') return { kind: 'failed', failure: 'taken' }
  const go = (share: number): Promise<boolean> => sink('', share)
  await saved()
  const end = await carriedOut(keeper, task, sink, go)
  // Of whatever came of it, some may be of the days that were looked at.
  room.usual = new Map()
  return end
}

async function carriedOut(
  { room, start }: Keeper,
  task: TransferTask<LineSource>,
  sink: TransferSink,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  switch (task.what) {
    case 'export':
      return exportNode(room, task.query, sink)
    case 'backup':
      return writeBackup(room, task.settings, sink)
    case 'import':
      return importNode(room, task.file, go)
    case 'delete':
      return deleteNode(room, task.node, go)
    case 'restore': {
      const end = await restoreBackup(room, task.file, go)
      // Whatever came of it, what is kept may be other than it was.
      if (end.kind === 'refused') return end
      await start(undefined)
      await survey(room)
      return end
    }
  }
}

export async function readLanes(keeper: Keeper, query: LaneQuery): Promise<LaneData> {
  const { room } = keeper
  const { reach } = room.status.get()
  const oldest = (at: number | undefined): number => at ?? Number.POSITIVE_INFINITY
  const everyMs = query.bridgeMs / DEFAULTS.staleAfterIntervals
  const tier = tierFor(query.toMs - query.fromMs, query.fromMs, everyMs, {
    samples: oldest(reach.samples),
    minute: oldest(reach.minute),
    quarter: oldest(reach.quarter),
    hour: oldest(reach.hour),
  })
  if (tier === 'samples') return lanesOf(await readSamples(room, query, query.bridgeMs), [], query)
  const rollup = await readSums(room, tier, query, LANES_FORM)
  const spread = rollup.spread === undefined ? await readSums(room, 'quarter', query, LANES_FORM) : rollup
  return rolledLanes(rollup, spread, query)
}
