import type { Clock } from '#base/clock.ts'
import type { TransferEnd, TransferSink, TransferTask } from '#history/transfer/transfer.ts'
import type { Tabs } from '#tabs/tabs.ts'
import type { TransferCall } from '#tabs/share-message.ts'

/** A tab that waits for more is told at least this often that there is none yet. */
const WAIT_MS = 1_000
/** Work for a tab that does not ask for more is stopped. */
const GIVEN_UP_MS = 15_000
/** Questions in a row that nobody answers before the tab that leads counts as gone; each waits two seconds. */
const UNANSWERED_MAX = 6
/** Works of other tabs under way at once; each holds one part of a file. */
const JOBS_MAX = 4

type Transfer = (task: TransferTask<Blob>, sink: TransferSink) => Promise<TransferEnd>

/** What the tab that leads answers a question for the next part. */
type Answered =
  | { readonly kind: 'part'; readonly text: string; readonly share: number }
  | { readonly kind: 'end'; readonly end: TransferEnd }
  /** Nothing new yet. */
  | { readonly kind: 'wait' }

export type TransferCalls = {
  /** Does it in the tab that leads, whichever it is. */
  readonly anywhere: Transfer
  /** Of another tab. */
  readonly answer: (call: TransferCall) => Promise<Answered>
  readonly end: () => void
}

const GONE: Answered = { kind: 'end', end: { kind: 'failed', failure: 'taken' } }

/** Long work on the history among several tabs: the one that leads does it, and others fetch what it writes part by part. */
export function createTransferCalls(
  clock: Clock,
  own: Transfer,
  tabs: Pick<Tabs, 'ask' | 'state'>,
  idFor: () => string,
): TransferCalls {
  const jobs = new Map<string, Job>()

  const begin = (id: string, task: TransferTask<Blob>): Answered => {
    const underWay = Array.from(jobs.values()).filter((job) => !job.isDone()).length
    if (underWay >= JOBS_MAX) return { kind: 'end', end: { kind: 'failed', failure: 'no-answer' } }
    if (!jobs.has(id))
      jobs.set(
        id,
        createJob(clock, own, task, () => jobs.delete(id)),
      )
    return { kind: 'wait' }
  }

  return {
    anywhere: (task, sink) => {
      const { role, leader } = tabs.state.get()
      return role === 'leading' || leader === undefined
        ? own(task, sink)
        : fetchParts(tabs, idFor(), task, sink)
    },
    answer: async (call) =>
      call.step === 'begin' ? begin(call.id, call.task) : ((await jobs.get(call.id)?.next(call)) ?? GONE),
    end: () => {
      for (const job of jobs.values()) job.stop()
    },
  }
}

/** In the tab that wants it: one part after the other, each again until it came. */
async function fetchParts(
  tabs: Pick<Tabs, 'ask'>,
  id: string,
  task: TransferTask<Blob>,
  sink: TransferSink,
): Promise<TransferEnd> {
  let part = 0
  let goesOn = true
  let unanswered = 0
  let call: TransferCall = { what: 'transfer', step: 'begin', id, task }
  while (unanswered < UNANSWERED_MAX) {
    const answered = await tabs.ask(call)
    if (!isAnswered(answered)) {
      unanswered++
      continue
    }
    unanswered = 0
    if (answered.kind === 'end') return answered.end
    if (answered.kind === 'part') {
      part++
      goesOn &&= await sink(answered.text, answered.share)
    }
    call = { what: 'transfer', step: 'next', id, part: part + 1, goesOn }
  }
  return { kind: 'failed', failure: 'no-answer' }
}

// The same code answered, so one field tells an answer from none.
const isAnswered = (value: unknown): value is Answered =>
  typeof value === 'object' && value !== null && 'kind' in value

type Job = {
  /** Resolves to the part of that number as soon as there is one; the same again while no later one was asked for. */
  readonly next: (call: { readonly part: number; readonly goesOn: boolean }) => Promise<Answered>
  readonly isDone: () => boolean
  readonly stop: () => void
}

/** In the tab that leads: the work, held up until each part was fetched. */
function createJob(clock: Clock, own: Transfer, task: TransferTask<Blob>, gone: () => void): Job {
  let number = 0
  let ready: Answered | undefined
  let isStopped = false
  let takePart = (_goesOn: boolean): void => undefined
  let tell = (): void => undefined
  let forget = (): void => undefined

  const stop = (): void => {
    isStopped = true
    takePart(false)
    gone()
  }
  const waitForCaller = (): void => {
    forget()
    forget = clock.after(GIVEN_UP_MS, stop)
  }
  waitForCaller()
  const sink: TransferSink = (text, share) =>
    isStopped
      ? Promise.resolve(false)
      : new Promise((resolve) => {
          number++
          takePart = resolve
          ready = { kind: 'part', text, share }
          tell()
        })
  const finish = (end: TransferEnd): void => {
    number++
    ready = { kind: 'end', end }
    tell()
  }
  void own(task, sink).then(finish, () => finish({ kind: 'failed', failure: 'broken' }))

  return {
    stop,
    isDone: () => ready?.kind === 'end',
    next: ({ part, goesOn }) => {
      waitForCaller()
      if (part > number && ready?.kind === 'part') {
        ready = undefined
        takePart(goesOn)
      }
      if (ready !== undefined) return Promise.resolve(ready)
      return new Promise((resolve) => {
        const cancel = clock.after(WAIT_MS, () => resolve({ kind: 'wait' }))
        tell = () => {
          cancel()
          resolve(ready ?? { kind: 'wait' })
        }
      })
    },
  }
}
