/** An address that no server has: a request for it in a server's log means that it was not blocked. */
const PROBE_PATH = '/signer-self-test'

const LIMIT_MS = 3_000

type Outcome = { readonly failed: boolean; readonly violation: boolean }

/**
 * Whether this Worker's own policy keeps requests in. Two are tried: one to a `data:` address,
 * which can fail for no other reason than the policy, and one to this origin, which a server
 * that is down would fail as well. So where the first shows that this browser reports
 * violations here, the second has to be reported too.
 */
export async function probeNetwork(): Promise<'blocked' | 'possible'> {
  const atHome = await attempt('data:text/plain,signer-self-test')
  const atServer = await attempt(new URL(PROBE_PATH, location.origin).href)
  const kept = atHome.failed && atServer.failed && (atServer.violation || !atHome.violation)
  return kept ? 'blocked' : 'possible'
}

async function attempt(url: string): Promise<Outcome> {
  let violation = false
  const onViolation = (): void => {
    violation = true
  }
  addEventListener('securitypolicyviolation', onViolation)
  try {
    await fetch(url, { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(LIMIT_MS) })
    return { failed: false, violation }
  } catch (error) {
    // A request that only took too long was on its way, so it was not blocked.
    const late = error instanceof DOMException && error.name === 'TimeoutError'
    await nextTask()
    return { failed: !late, violation }
  } finally {
    removeEventListener('securitypolicyviolation', onViolation)
  }
}

/** The event comes as a task of its own, which may follow the rejection. */
const nextTask = (): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, 50)
  })
