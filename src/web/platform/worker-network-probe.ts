/** A path that no server has. If it appears in a server's log, the request was not blocked. */
const PROBE_PATH = '/signer-self-test'

const LIMIT_MS = 3_000

type Outcome = { readonly failed: boolean; readonly violation: boolean }

/**
 * Tests whether the Worker's Content-Security-Policy blocks requests. A request to a `data:` URL can fail only because of the
 * policy; one to this origin would also fail if the server is down. If the first reports a policy violation in this browser,
 * the second must report one as well.
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
    // A request that only timed out was sent, so it was not blocked.
    const late = error instanceof DOMException && error.name === 'TimeoutError'
    await nextTask()
    return { failed: !late, violation }
  } finally {
    removeEventListener('securitypolicyviolation', onViolation)
  }
}

/** The event is a separate task, which may follow the rejection. */
const nextTask = (): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, 50)
  })
