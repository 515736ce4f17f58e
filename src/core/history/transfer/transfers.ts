import type { TransferStore } from '#history/store/stored-history.ts'
import { restoreBackup, writeBackup } from './backup.ts'
import { deleteNode } from './delete-node.ts'
import { exportNode } from './export-node.ts'
import { completeImport, dropImport, importNode } from './import-node.ts'
import type { LineSource, TransferEnd, TransferSink, TransferTask } from './transfer.ts'

/** Does what a person asks for. */
export type Transfer = (task: TransferTask<LineSource>, sink: TransferSink) => Promise<TransferEnd>

/** What is done, one after another; and first what was cut off when the browser was closed. */
export function createTransfers(store: TransferStore): Transfer {
  let last: Promise<unknown> = Promise.resolve()
  const next = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work)
    last = done.catch(() => undefined)
    return done
  }
  store.whenKept(() => void next(() => completeCutOff(store)))
  return (task, sink) =>
    next(async () => {
      await store.saved()
      const end = await carriedOut(store, task, sink)
      // Of whatever came of it, some may be of the days that were read.
      store.changed()
      return end
    })
}

async function completeCutOff(store: TransferStore): Promise<void> {
  const done = await completeImport(store)
  // Where it could not be completed now, it is at another start.
  if (!done.ok || done.value === 'none') return
  store.changed()
  store.noteCutOff(done.value === 'completed' ? 'import-completed' : 'import')
  await store.saved()
}

async function carriedOut(
  store: TransferStore,
  task: TransferTask<LineSource>,
  sink: TransferSink,
): Promise<TransferEnd> {
  const go = (share: number): Promise<boolean> => sink('', share)
  switch (task.what) {
    case 'export':
      return exportNode(store, task.query, sink)
    case 'backup':
      return writeBackup(store, task.settings, sink)
    case 'import':
      return importNode(store, task.file, go)
    case 'delete':
      return deleteNode(store, task.node, go)
    case 'restore':
      return restore(store, task.file, sink)
  }
}

async function restore(store: TransferStore, file: LineSource, sink: TransferSink): Promise<TransferEnd> {
  const end = await restoreBackup(store, file, (share) => sink('', share))
  if (end.kind === 'refused' || end.kind === 'cancelled') return end
  if (end.kind === 'done') {
    await dropImport(store)
    if (await sink(JSON.stringify(end.settings ?? null), 1)) await end.finish()
  }
  await store.reload()
  await store.survey()
  return end.kind === 'done' ? { kind: 'done', rows: end.rows, skipped: 0 } : end
}
