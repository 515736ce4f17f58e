import type { Listener } from './listener.ts'

/** The service's two listeners, of which the fault `refused` puts the first one down for a while. */
export type Listeners = {
  /** Rejects with Node's error when a port can't be had; then neither listens. */
  readonly listen: () => Promise<{ readonly port: number; readonly controlPort: number }>
  /** Makes the first listener fit what `isRefused` says now. */
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

export function createListeners(
  main: Listener,
  control: Listener,
  wanted: { readonly port: number; readonly controlPort: number },
  isRefused: () => boolean,
): Listeners {
  let port = wanted.port
  let state: 'new' | 'listening' | 'down' | 'closed' = 'new'
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other, or two quick changes would race; a failed one does not hold up the next. */
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const done = last.then(change, change)
    last = done
    return done
  }

  const syncNow = async (): Promise<void> => {
    if (state === 'listening' && isRefused()) {
      state = 'down'
      await main.stop()
    } else if (state === 'down' && !isRefused()) {
      await main.listen(port)
      state = 'listening'
    }
  }

  return {
    listen: () =>
      inTurn(async () => {
        port = await main.listen(port)
        state = 'listening'
        try {
          const controlPort = await control.listen(wanted.controlPort)
          await syncNow()
          return { port, controlPort }
        } catch (error) {
          await main.stop() // half a service would keep the port and the process
          throw error
        }
      }),
    sync: () => inTurn(syncNow),
    close: () =>
      inTurn(async () => {
        state = 'closed'
        await Promise.all([main.stop(), control.stop()])
      }),
  }
}
