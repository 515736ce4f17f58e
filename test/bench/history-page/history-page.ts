import * as Comlink from 'comlink'
import type { HistoryBench } from './history-contenders.ts'

/** The store runs in a Worker, as in the product. The page only forwards calls. */
const worker = new Worker(new URL('./history-contenders.ts', import.meta.url), { type: 'module' })

declare global {
  var benchHistory: Comlink.Remote<HistoryBench>
}
globalThis.benchHistory = Comlink.wrap<HistoryBench>(worker)
