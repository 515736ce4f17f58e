import { useRef, useState } from 'react'
import type { TransferEnd, TransferTask } from '#history/transfer/transfer.ts'
import { useDashboard } from './dashboard.ts'
import { gatherFile, saveFile } from './platform.ts'

type TransferDone = Extract<TransferEnd, { readonly kind: 'done' }>

export type Transfer = {
  /** How much is done, 0 to 1; undefined while nothing is under way. */
  readonly share: number | undefined
  /** What the last one came to. */
  readonly end: TransferEnd | undefined
  /**
   * Does it; `into`: what it writes is offered as a file of this name, or taken by this function. `note` comes
   * before it is said to be done, as the page may be left then. Resolves to what it came to.
   */
  readonly run: (
    task: TransferTask<Blob>,
    into?: string | ((text: string) => void),
    note?: (done: TransferDone) => Promise<unknown>,
  ) => Promise<TransferEnd>
  readonly cancel: () => void
}

/** Long work on the history, with its progress and a way to end it. */
export function useTransfer(): Transfer {
  const { engine } = useDashboard()
  const [share, setShare] = useState<number>()
  const [end, setEnd] = useState<TransferEnd>()
  const isCancelled = useRef(false)
  const run: Transfer['run'] = async (task, into, note) => {
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
    setEnd(done)
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
