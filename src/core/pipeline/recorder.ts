import type { Gap, History, Sample } from '#history/history.ts'
import type { Records } from '#monitor/ports.ts'

/** Maximum number of pending appends: a store that hangs must not accumulate promises. */
const APPENDS_MAX = 4
/** Maximum number of samples that wait for a slow store; beyond it, the oldest are dropped, because the newest matter more. */
const WAITING_MAX = 100_000

export function createRecorder(
  history: Pick<History, 'append' | 'forget'>,
): Records & { readonly flush: () => void } {
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
      flush() // The waiting samples precede the gap, but a batch stores its gaps before its samples.
      gaps.push(gap)
    },
    flush,
    forget: (nodes) => {
      if (nodes.length === 0) return
      const gone = new Set<string>(nodes)
      // Waiting samples would bring the removed nodes back.
      samples = samples.filter(({ node }) => !gone.has(node))
      settle(
        () => history.forget(nodes),
        () => undefined,
      )
    },
  }
}

/** Handles a store that rejects or throws synchronously; `ended` is called in either case. */
function settle(run: () => Promise<void>, ended: () => void): void {
  const attempt = async (): Promise<void> => run()
  void attempt().then(ended, ended)
}
