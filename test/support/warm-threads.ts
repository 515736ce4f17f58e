import { ThreadsPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node'

/** After so many runs a thread ends: each start adds listeners to it. */
const RUNS_MAX = 60

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
  }

  on(event: string, callback: Listener): void {
    this.#listeners.push([event, callback])
    this.#thread().on(event, callback)
  }

  off(event: string, callback: Listener): void {
    this.#thread().off(event, callback)
  }

  send(message: WorkerRequest): void {
    this.#isAskedToStop = message.type === 'stop' && !this.#isFresh && this.#runs() < RUNS_MAX
    if (!this.#isAskedToStop) return this.#thread().send(message)
    // A thread that is told to stop hears nothing any more: it is kept, and answered for.
    for (const [event, callback] of this.#listeners)
      if (event === 'message') callback({ type: 'stopped', __vitest_worker_response__: true })
  }

  async stop(): Promise<void> {
    if (!this.#isAskedToStop || parked !== undefined) return this.#thread().stop()
    for (const [event, callback] of this.#listeners) this.#thread().off(event, callback)
    parked = this.#warm
  }

  deserialize(data: unknown): unknown {
    return data
  }

  #runs = (): number => this.#warm?.runs ?? 0

  #thread(): ThreadsPoolWorker {
    if (this.#warm === undefined) throw new Error('not started')
    return this.#warm.thread
  }
}
