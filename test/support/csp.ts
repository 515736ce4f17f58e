import type { Browser, CDPSession } from 'playwright-core'

export type CspViolation = {
  readonly in: 'page' | 'worker' | 'shared_worker'
  /** Path of the page or Worker that violated its policy. */
  readonly path: string
  readonly directive: string
  /** The blocked address; empty for eval, inline code and Trusted Types. */
  readonly blocked: string
}

export type CspWatch = {
  /** All violations so far, in the order in which the browser reported them. */
  readonly violations: () => Promise<readonly CspViolation[]>
}

type Target = {
  readonly targetId: string
  readonly type: string
  readonly url: string
  readonly browserContextId?: string
}
type Watched = {
  readonly targetId: string
  readonly answered: Map<number, () => void>
  lastId: number
  /** The target left a request unanswered and has sent nothing since. */
  isSilent: boolean
}
type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly issue?: {
      readonly code: string
      readonly details: {
        readonly contentSecurityPolicyIssueDetails?: {
          readonly violatedDirective: string
          readonly blockedURL?: string
          readonly sourceCodeLocation?: { readonly url: string }
        }
      }
    }
  }
}

const isWatched = (type: string): type is CspViolation['in'] =>
  type === 'page' || type === 'worker' || type === 'shared_worker'

/**
 * After a reload, a watched SharedWorker waits for its debugger before it runs, and Chromium sends no event for it. So
 * the watch resumes every SharedWorker at this interval.
 */
const RESTART_CHECK_MS = 250

/**
 * A closing page stops answering, and so does a SharedWorker that outlives its last page because a debugger is
 * attached. Skipping them until they send something again loses no violations.
 */
const ANSWER_LIMIT_MS = 2_000

/**
 * Collects policy violations in the pages, Workers and SharedWorkers of a browser. Playwright's events omit Workers, so
 * the watch asks each target for its issues over the browser's debugging session. Those are typed and include
 * violations from before the request. Use one watch per browser: Chromium 156 crashes when targets are listed again
 * after a watched SharedWorker has ended.
 */
export async function watchCsp(browser: Browser): Promise<CspWatch> {
  const session = await browser.newBrowserCDPSession()
  const targets = new Map<string, Target>()
  const gone = new Set<string>()
  const attached = new Map<string, Watched>()
  const pending = new Set<Promise<unknown>>()
  const found: { targetId: string; directive: string; blocked: string; source: string }[] = []

  const track = (work: Promise<unknown>): void => {
    const settled = work.catch(() => undefined).finally(() => pending.delete(settled)) // The target has closed.
    pending.add(settled)
  }

  const watch = async ({ targetId }: Target): Promise<void> => {
    const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false })
    attached.set(sessionId, { targetId, answered: new Map(), lastId: 0, isSilent: false })
    await ask(session, sessionId, attached, 'Audits.enable')
  }
  const meet = (target: Target): void => {
    const known = targets.has(target.targetId)
    targets.set(target.targetId, target)
    if (!known && isWatched(target.type)) track(watch(target))
  }

  session.on('Target.targetCreated', ({ targetInfo }) => meet(targetInfo))
  session.on('Target.targetInfoChanged', ({ targetInfo }) => meet(targetInfo))
  const forget = (sessionId: string): void => {
    for (const done of attached.get(sessionId)?.answered.values() ?? []) done()
    attached.delete(sessionId)
  }
  session.on('Target.detachedFromTarget', ({ sessionId }) => forget(sessionId))
  // A SharedWorker that is watched outlives its last page, and answers no more.
  session.on('Target.targetDestroyed', ({ targetId }) => {
    const context = targets.get(targetId)?.browserContextId
    gone.add(targetId)
    const isInUse = Array.from(targets.values()).some(
      (one) => one.type === 'page' && one.browserContextId === context && !gone.has(one.targetId),
    )
    if (isInUse) return
    for (const [sessionId, one] of attached) {
      if (targets.get(one.targetId)?.browserContextId !== context) continue
      forget(sessionId)
      track(session.send('Target.detachFromTarget', { sessionId }))
    }
  })
  session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
    const { id, method, params }: Message = JSON.parse(message)
    const target = attached.get(sessionId)
    if (target === undefined) return
    target.isSilent = false
    if (id !== undefined) target.answered.get(id)?.()
    const details = params?.issue?.details.contentSecurityPolicyIssueDetails
    if (method === 'Audits.issueAdded' && details !== undefined)
      found.push({
        targetId: target.targetId,
        directive: details.violatedDirective,
        blocked: details.blockedURL ?? '',
        source: details.sourceCodeLocation?.url ?? '',
      })
  })
  await session.send('Target.setDiscoverTargets', { discover: true })

  const letGo = setInterval(() => {
    for (const [sessionId, { targetId }] of attached)
      if (targets.get(targetId)?.type === 'shared_worker')
        void ask(session, sessionId, attached, 'Runtime.runIfWaitingForDebugger').catch(() => {}) // The target has closed.
  }, RESTART_CHECK_MS)
  letGo.unref()
  browser.once('disconnected', () => clearInterval(letGo))

  return {
    violations: async () => {
      await Promise.all(pending)
      // One more exchange with each target: what it reported before its answer has then arrived.
      await Promise.all(
        Array.from(attached)
          .filter(([, { isSilent }]) => !isSilent)
          .map(([id]) => ask(session, id, attached, 'Runtime.getIsolateId').catch(() => {})),
      )
      return found.flatMap(({ targetId, directive, blocked, source }) => {
        const target = targets.get(targetId)
        if (target === undefined || !isWatched(target.type)) return []
        // A Worker's target is created before its address is known, and its name is not always updated.
        const path = pathOf(target.url === '' ? source : target.url)
        return [{ in: target.type, path, directive, blocked }]
      })
    },
  }
}

/** Sends a command to a target and waits for any answer, success or error. */
async function ask(
  session: CDPSession,
  sessionId: string,
  attached: ReadonlyMap<string, Watched>,
  method: string,
): Promise<void> {
  const target = attached.get(sessionId)
  if (target === undefined) return
  const id = ++target.lastId
  const limit = AbortSignal.timeout(ANSWER_LIMIT_MS)
  const answer = new Promise<void>((done) => {
    target.answered.set(id, done)
    const giveUp = (): void => {
      target.isSilent ||= target.answered.has(id)
      done()
    }
    limit.addEventListener('abort', giveUp, { once: true })
  })
  await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) })
  await answer
  target.answered.delete(id)
}

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)
