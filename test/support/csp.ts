import type { Browser, CDPSession } from 'playwright-core'

export type CspViolation = {
  readonly in: 'page' | 'worker' | 'shared_worker'
  /** Path of the page or Worker that broke its policy. */
  readonly path: string
  readonly directive: string
  /** What was blocked: an address, or empty for eval, inline code and Trusted Types. */
  readonly blocked: string
}

export type CspWatch = {
  /** Every violation so far, in the order the browser reported them. */
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
  /** It let a question pass, and said nothing since. */
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
 * A watched SharedWorker that is started anew, after a reload, waits for its debugger before
 * it runs, and Chromium tells nobody. So it is told to go on, again and again.
 */
const RESTART_CHECK_MS = 250

/**
 * A page that is being closed answers no more, nor does a SharedWorker that outlives its last page because it is watched:
 * nothing is lost by not waiting for it, until it says something again.
 */
const ANSWER_LIMIT_MS = 2_000

/**
 * Counts what pages, Workers and SharedWorkers of a browser do against their policies.
 * Playwright's own events leave Workers out, so each target is asked by itself over the
 * browser's debugging session: for its issues, which are typed, and also come for what
 * happened before the question. One watch per browser: Chromium 156 crashes when targets are
 * listed once more after a watched SharedWorker has ended.
 */
export async function watchCsp(browser: Browser): Promise<CspWatch> {
  const session = await browser.newBrowserCDPSession()
  const targets = new Map<string, Target>()
  const gone = new Set<string>()
  const attached = new Map<string, Watched>()
  const pending = new Set<Promise<unknown>>()
  const found: { targetId: string; directive: string; blocked: string; source: string }[] = []

  const track = (work: Promise<unknown>): void => {
    const settled = work.catch(() => undefined).finally(() => pending.delete(settled)) // the target is gone
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
        void ask(session, sessionId, attached, 'Runtime.runIfWaitingForDebugger').catch(() => {}) // it is gone
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
        // A Worker's target is made before its address is known, and is not always renamed.
        const path = pathOf(target.url === '' ? source : target.url)
        return [{ in: target.type, path, directive, blocked }]
      })
    },
  }
}

/** Sends a command to a target and waits until it was answered, with whatever. */
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
