import { createSerial } from '#base/serial.ts'
import { UnreadableHistory } from '#history/store/read-history.ts'
import type { StoredHistory } from '#history/store/stored-history.ts'
import { restoreBackup, writeBackup } from './backup.ts'
import { deleteNode } from './delete-node.ts'
import { exportNode } from './export-node.ts'
import { importNode } from './import-node.ts'
import type { LineSource, TransferEnd, TransferSink, TransferTask } from './transfer.ts'

export type Transfer = (task: TransferTask<LineSource>, sink: TransferSink) => Promise<TransferEnd>

type Store = Pick<StoredHistory, 'state' | 'saved' | 'start'>

/** Runs one task after another. */
export function createTransfers(store: Store): Transfer {
  const exclusive = createSerial()
  const run = async (task: TransferTask<LineSource>, sink: TransferSink): Promise<TransferEnd> => {
    await store.saved()
    const end = await carryOut(store, task, sink).catch((thrown: unknown): TransferEnd => {
      if (thrown instanceof UnreadableHistory) return { kind: 'failed', failure: 'broken' }
      throw thrown
    })
    store.state.revision++
    return end
  }
  return (task, sink) => exclusive(() => run(task, sink))
}

async function carryOut(
  store: Store,
  task: TransferTask<LineSource>,
  sink: TransferSink,
): Promise<TransferEnd> {
  const { state } = store
  const go = (share: number): Promise<boolean> => sink('', share)
  switch (task.what) {
    case 'export':
      return exportNode(state, task.query, sink)
    case 'backup':
      return writeBackup(state, task.settings, sink)
    case 'import':
      return importNode(state, task.file, go)
    case 'delete':
      return deleteNode(state, task.node, go)
    case 'remove-older': {
      const removed = await state.database.removeOlder()
      if (!removed.ok) return { kind: 'failed', failure: removed.error }
      state.setStatus({ hasOlder: false })
      return { kind: 'done', rows: removed.value, skipped: 0 }
    }
    case 'restore':
      return restore(store, task.file, sink)
  }
}

async function restore(store: Store, file: LineSource, sink: TransferSink): Promise<TransferEnd> {
  const { state } = store
  const restored = await restoreBackup(state, file, (share) => sink('', share))
  if (!restored.ok && restored.error.kind !== 'failed') return restored.error
  // The rows of this session stay, and the restored history is read as after a start. Replacing the old
  // history is not a loss.
  if (restored.ok) for (const node of state.head.nodes.values()) node.flushed = 0
  await store.start(undefined)
  if (!restored.ok) return restored.error
  const { rows, settings } = restored.value
  if (await sink(JSON.stringify(settings ?? null), 1))
    await state.exclusive(() => state.database.settingsApplied())
  return { kind: 'done', rows, skipped: 0 }
}
