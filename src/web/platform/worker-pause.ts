/** Resolves when other events of this thread had their turn. */
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
 * Has packages that give way in long work give way to this Worker's messages. They do it by
 * `scheduler.yield` where there is one, and Chromium goes on with them before it looks at any
 * message: no request would be signed for as long as it takes to derive a key from a passphrase.
 */
export function giveWayToMessages(): void {
  Object.defineProperty(globalThis, 'scheduler', { configurable: true, value: { yield: pause } })
}
