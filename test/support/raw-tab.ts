import type { Browser, CDPSession } from 'playwright-core'

/**
 * A tab outside Playwright's control. Playwright's own pages always count as visible and focused, and Chromium never
 * freezes a visible page.
 */
export type RawTab = {
  /** Evaluates an expression in the page, awaits promises, and rethrows exceptions. */
  readonly evaluate: (expression: string) => Promise<unknown>
  readonly send: (method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Brings the tab to the front, which hides the tab that was there. */
  readonly activate: () => Promise<void>
  readonly close: () => Promise<void>
}

type Reply = {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}
type Evaluated = {
  readonly result: { readonly value?: unknown }
  readonly exceptionDetails?: { readonly text: string }
}

/** Opens a tab in the browser's default profile, next to the other raw tabs. */
export async function openRawTab(browser: Browser, url: string): Promise<RawTab> {
  const session = await browser.newBrowserCDPSession()
  const { targetId } = await session.send('Target.createTarget', { url })
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false })
  const send = caller(session, sessionId)
  return {
    send,
    evaluate: async (expression) => {
      const { result, exceptionDetails } = (await send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      })) as Evaluated
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
      return result.value
    },
    activate: async () => {
      await session.send('Target.activateTarget', { targetId })
    },
    close: async () => {
      await session.send('Target.closeTarget', { targetId })
      await session.detach()
    },
  }
}

/** An event of a worker's debugging session. */
export type WorkerEvent = { readonly method: string; readonly params: Readonly<Record<string, unknown>> }

/** Attaches to the SharedWorker whose address contains `name`, as developer tools do. */
export async function attachToWorker(
  browser: Browser,
  name: string,
  heard: (event: WorkerEvent) => void,
): Promise<Pick<RawTab, 'send'>> {
  const session = await browser.newBrowserCDPSession()
  const { targetInfos } = await session.send('Target.getTargets', { filter: [{}] })
  const worker = targetInfos.find(({ type, url }) => type === 'shared_worker' && url.includes(name))
  if (worker === undefined) throw new Error(`no SharedWorker ${name}`)
  return attachToTarget(browser, worker.targetId, heard)
}

export async function attachToTarget(
  browser: Browser,
  targetId: string,
  heard: (event: WorkerEvent) => void = () => undefined,
): Promise<Pick<RawTab, 'send'>> {
  const session = await browser.newBrowserCDPSession()
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false })
  return { send: caller(session, sessionId, heard) }
}

function caller(
  session: CDPSession,
  sessionId: string,
  heard: (event: WorkerEvent) => void = () => undefined,
): RawTab['send'] {
  let lastId = 0
  const waiting = new Map<number, (reply: Reply) => void>()
  session.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return
    const reply: Reply & WorkerEvent = JSON.parse(event.message)
    if (reply.id === undefined) return heard(reply)
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  return async (method, params = {}) => {
    const id = ++lastId
    const answered = new Promise<Reply>((resolve) => waiting.set(id, resolve))
    await session.send('Target.sendMessageToTarget', {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    })
    const { result, error } = await answered
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
}
