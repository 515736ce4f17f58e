/** Lets other events of this thread run first. */
export const pause = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port2.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port2.start()
    port1.postMessage(undefined)
  })

/**
 * Makes libraries that yield during long work yield to this Worker's messages. They use `scheduler.yield` if available, and
 * Chromium resumes them before it handles any message. Without this, no request would be signed while a key is derived from a
 * passphrase.
 */
export function giveWayToMessages(): void {
  Object.defineProperty(globalThis, 'scheduler', { configurable: true, value: { yield: pause } })
}
