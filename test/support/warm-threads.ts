import { ThreadsPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node'
import { HANGS_MS } from './slow-tests.ts'

/** After so many runs a thread ends: each start adds listeners to it. */
const RUNS_MAX = 60

/** Longer than a thread says nothing while its tests end by themselves. */
const SILENT_MS = 4 * HANGS_MS
const LOOK_EVERY_MS = 1_000

/** What a run with a thread that hung ends with. */
export const HANGS = 'A loop without an end'

type Listener = Parameters<PoolWorker['on']>[1]

type Warm = { readonly thread: ThreadsPoolWorker; runs: number }

/** What the last run left; a run takes it, so that no two use one. */
let parked: Warm | undefined

/**
 * Keeps a thread, and the modules that it has loaded, from one run of the mutation check to the next: loading them
 * takes longer than most tests do. What a change does while modules load needs them loaded anew, and so does the
 * first run, which sees what they do then: both have a thread of their own.
 */
export class WarmThread implements PoolWorker {
  readonly name = 'warm-threads'
  readonly #options: PoolOptions
  readonly #listeners: [string, Listener][] = []
  #warm: Warm | undefined
  #isFresh = true
  #isAskedToStop = false
  #heardMs = 0
  #looking: ReturnType<typeof setInterval> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { mode, mutantActivation } = this.#options.project.getProvidedContext() as Readonly<
      Record<string, unknown>
    >
    this.#isFresh = mode !== 'mutant' || mutantActivation === 'static'
    if (!this.#isFresh && parked !== undefined) {
      this.#warm = parked
      parked = undefined
    } else {
      this.#warm = { thread: new ThreadsPoolWorker(this.#options), runs: 0 }
      await this.#warm.thread.start()
    }
    this.#warm.runs += 1
    if (mode !== 'mutant') return
    this.#warm.thread.on('message', this.#hear)
    this.#hear()
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  on(event: string, callback: Listener): void {
    this.#listeners.push([event, callback])
    this.#thread()?.on(event, callback)
  }

  off(event: string, callback: Listener): void {
    this.#thread()?.off(event, callback)
  }

  send(message: WorkerRequest): void {
    const thread = this.#thread()
    this.#isAskedToStop =
      message.type === 'stop' && (thread === undefined || (!this.#isFresh && this.#runs() < RUNS_MAX))
    if (!this.#isAskedToStop) return thread?.send(message)
    // A thread that is told to stop hears nothing any more: it is kept, and answered for.
    this.#answer('stopped')
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking)
    const thread = this.#thread()
    thread?.off('message', this.#hear)
    if (!this.#isAskedToStop || parked !== undefined) return thread?.stop()
    for (const [event, callback] of this.#listeners) thread?.off(event, callback)
    parked = this.#warm
  }

  deserialize(data: unknown): unknown {
    return data
  }

  #hear = (): void => {
    this.#heardMs = performance.now()
  }

  /** No timer gets to run in a thread whose loop never ends, so it is ended from here: the whole process would take minutes. */
  #look(): void {
    if (performance.now() - this.#heardMs < SILENT_MS) return
    clearInterval(this.#looking)
    const thread = this.#thread()
    this.#warm = undefined
    for (const [event, callback] of this.#listeners) thread?.off(event, callback)
    void thread?.stop()
    this.#answer('testfileFinished', new Error(HANGS))
  }

  #answer(type: 'stopped' | 'testfileFinished', error?: Error): void {
    for (const [event, callback] of this.#listeners)
      if (event === 'message') callback({ type, error, __vitest_worker_response__: true })
  }

  #runs = (): number => this.#warm?.runs ?? 0

  /** Undefined when it was ended. */
  #thread(): ThreadsPoolWorker | undefined {
    return this.#warm?.thread
  }
}
