import type { TransferStore } from '#history/store/stored-history.ts'
import { restoreBackup, writeBackup } from './backup.ts'
import { deleteNode } from './delete-node.ts'
import { exportNode } from './export-node.ts'
import { importNode } from './import-node.ts'
import type { LineSource, TransferEnd, TransferSink, TransferTask } from './transfer.ts'

/** Does what a person asks for. */
export type Transfer = (task: TransferTask<LineSource>, sink: TransferSink) => Promise<TransferEnd>

export const createTransfers =
  (store: TransferStore): Transfer =>
  async (task, sink) => {
    await store.saved()
    const end = await carriedOut(store, task, sink)
    // Of whatever came of it, some may be of the days that were read.
    store.changed()
    return end
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
    case 'restore': {
      const end = await restoreBackup(store, task.file, go)
      // Whatever came of it, what is kept may be other than it was.
      if (end.kind === 'refused') return end
      await store.reload()
      await store.survey()
      return end
    }
  }
}
