import { stateAt } from '#reference/demo-network.ts'
import { seedWords } from '#reference/random.ts'
import { EVERY_MS, type State } from './history-page/node-samples.ts'

const SEED = seedWords('history-bench')

/** The state of node `index` in the reference service's network at each poll, as JSON. */
export const statesJson = (index: number, startMs: number, count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, place): State => {
      const state = stateAt(SEED, index, startMs + place * EVERY_MS)
      return [state.status, state.stake, state.participation, state.threatResponses, state.lastHeartbeat]
    }),
  )
