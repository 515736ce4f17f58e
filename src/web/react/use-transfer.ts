import { useRef, useState } from 'react'
import type { TransferEnd, TransferTask } from '#history/transfer/transfer.ts'
import { useDashboard } from './dashboard.ts'
import { gatherFile, saveFile } from './platform.ts'

type TransferDone = Extract<TransferEnd, { readonly kind: 'done' }>

export type Transfer = ReturnType<typeof useTransfer>

export function useTransfer() {
  const { engine } = useDashboard()
  /** Progress from 0 to 1; undefined while idle. */
  const [share, setShare] = useState<number>()
  const [end, setEnd] = useState<readonly [end: TransferEnd, task: TransferTask<Blob>['what']]>()
  const isCancelled = useRef(false)
  /**
   * Runs a task. `into` is the name of the file to save, or a function that receives the text. `note` runs before completion is
   * reported, because the page may be left then. Resolves to the result.
   */
  const run = async (
    task: TransferTask<Blob>,
    into?: string | ((text: string) => void),
    note?: (done: TransferDone) => Promise<unknown>,
  ): Promise<TransferEnd> => {
    isCancelled.current = false
    setEnd(undefined)
    setShare(0)
    const file = gatherFile()
    const done = await engine
      .transfer(task, async (text, doneShare) => {
        if (typeof into !== 'function') file.add(text)
        else if (text !== '') into(text)
        setShare(doneShare)
        return !isCancelled.current
      })
      .catch((): TransferEnd => ({ kind: 'failed', failure: 'broken' }))
    if (done.kind === 'done') await note?.(done).catch(() => undefined)
    setShare(undefined)
    setEnd([done, task.what])
    if (done.kind === 'done' && typeof into === 'string')
      saveFile(into, file.parts(), into.endsWith('.csv') ? 'text/csv' : 'application/json')
    return done
  }
  return {
    share,
    end,
    run,
    cancel: () => {
      isCancelled.current = true
    },
  }
}
