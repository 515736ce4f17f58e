import type { Gap, History, Sample } from '#history/history.ts'
import type { Records } from '#monitor/ports.ts'

/** Appends under way before new samples wait: a store that hangs must not collect promises. */
const APPENDS_MAX = 4
/** Samples that wait for such a store. Beyond it the oldest are dropped, because the newest matter more. */
const WAITING_MAX = 100_000

/** Appends samples and gaps to history, one transaction for each batch. */
export type Recorder = Records & { readonly flush: () => void }

export function createRecorder(history: Pick<History, 'append' | 'forget'>): Recorder {
  let samples: Sample[] = []
  let gaps: Gap[] = []
  let appending = 0

  const flush = (): void => {
    if (samples.length > WAITING_MAX) samples = samples.slice(-WAITING_MAX)
    if ((samples.length === 0 && gaps.length === 0) || appending >= APPENDS_MAX) return
    const batch = { samples, gaps }
    samples = []
    gaps = []
    appending++
    const ended = (): void => {
      appending--
    }
    // If the store refuses this batch, it is lost and polling continues.
    settle(() => history.append(batch), ended)
  }

  return {
    sample: (sample) => samples.push(sample),
    gap: (gap) => {
      flush() // a batch's gaps come before its samples, and these samples came before the gap
      gaps.push(gap)
    },
    flush,
    forget: (nodes) => {
      if (nodes.length === 0) return
      const gone = new Set<string>(nodes)
      // Samples that still wait would restore them.
      samples = samples.filter(({ node }) => !gone.has(node))
      settle(
        () => history.forget(nodes),
        () => undefined,
      )
    },
  }
}

/** Runs a step of a store that may also throw at once; either way it has ended. */
function settle(run: () => Promise<void>, ended: () => void): void {
  const attempt = async (): Promise<void> => run()
  void attempt().then(ended, ended)
}
