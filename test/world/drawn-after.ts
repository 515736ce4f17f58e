/** React renders a change, its effects, and what these change within fewer turns of the event loop. */
const TURNS = 4

/** Makes a change, and resolves once it is on the screen. The tests use React's production build, which has no `act`. */
export async function drawnAfter(change: () => void): Promise<void> {
  change()
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((done) => void setImmediate(done))
}
