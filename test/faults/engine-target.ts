import type { Browser } from 'playwright-core'

/** The engine's SharedWorker, past Playwright, which knows only Workers of pages. */
export type EngineTarget = {
  /** A command of the Chrome DevTools Protocol; resolves to its result. */
  readonly send: (method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Runs an expression in the Worker and resolves to its value. */
  readonly evaluate: (expression: string) => Promise<unknown>
}

type Message = {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Resolves when the engine is there, in the browser's only context that has one. */
export async function engineTarget(browser: Browser): Promise<EngineTarget> {
  const session = await browser.newBrowserCDPSession()
  const targetId = await new Promise<string>((found) => {
    const meet = ({ targetInfo }: { targetInfo: { type: string; url: string; targetId: string } }): void => {
      if (targetInfo.type === 'shared_worker' && targetInfo.url.includes('engine-worker'))
        found(targetInfo.targetId)
    }
    session.on('Target.targetCreated', meet)
    session.on('Target.targetInfoChanged', meet)
    void session.send('Target.setDiscoverTargets', { discover: true })
  })
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false })
  const waiting = new Map<number, (message: Message) => void>()
  session.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return
    const message: Message = JSON.parse(event.message)
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  let lastId = 0
  const send = async (method: string, params = {}): Promise<unknown> => {
    const id = ++lastId
    const answered = new Promise<Message>((done) => waiting.set(id, done))
    await session.send('Target.sendMessageToTarget', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    })
    const { result, error } = await answered
    waiting.delete(id)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  return {
    send,
    evaluate: async (expression) => {
      const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
      return JSON.parse(JSON.stringify(answer))?.result?.value
    },
  }
}
