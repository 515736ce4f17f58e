import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSerial } from '#base/serial.ts'
import { PROXY_FAILURE_HEADER } from '#protocol/transport.ts'
import { networkOf } from '#node/address-guard.ts'
import { splitTarget } from '#node/request-target.ts'
import type { Access, Gate, Refusal } from './access.ts'
import { cookieText, cookieValues } from './cookies.ts'
import {
  foreignOrigin,
  bodyOf,
  problemOf,
  refuseBody,
  sendBody,
  sendJson,
  sendMethodNotAllowed,
  sendProblem,
  sendRedirect,
} from './send-reply.ts'
import { isCrossOrigin, isOwnPage, isPortDropped } from './request-guard.ts'
import { LOGIN_HEADERS, type Headers } from './security-headers.ts'
import { createRateLimit } from './request-rate.ts'
import type { Sessions } from './sessions.ts'

/** States of the sign-in page; the page chooses its text by the state on its body. */
type PageState = 'form' | 'wrong' | 'wait' | 'host' | 'done'

const LOGIN_PATH = '/login'
/** Marks the link of a signed-out dashboard page, which must stay open. */
const FROM_DASHBOARD = 'from=dashboard'
const FORM_MAX_BYTES = 4_096

/** Limits for one account from one address, and for all attempts together. */
const TRIES = { most: 5, everyMs: 12_000, keysMax: 1_000 }
const ALL_TRIES = { most: 30, everyMs: 2_000, keysMax: 1 }
/** Each check takes 128 MB, so they run one after the other. */
const CHECKS_MAX = 8

export type SignIn = ReturnType<typeof createSignIn>

type SignInOptions = {
  readonly gate: Gate
  readonly page: string
  readonly nowMs: () => number
}

/** `/login` and `/logout` if there are passwords, and `/session`, which returns the signed-in user. */
export function createSignIn({ gate, page, nowMs }: SignInOptions) {
  const { access } = gate
  const sendPage = pageSender(page)
  const signIn =
    access.kind === 'password' && gate.sessions !== undefined
      ? passwordForm(access, gate.sessions, gate, sendPage, nowMs)
      : undefined

  const sendLogin = (request: IncomingMessage, response: ServerResponse, query: string): void => {
    if (query === BACK) return sendBounce(response)
    const visitor = gate.admit(request)
    const isIn = typeof visitor === 'object'
    // Without passwords a reverse proxy handles sign-in, so visitors here are signed in.
    if (!isIn && signIn === undefined) sendRefusal(request, response, access.kind, visitor)
    else if (!isIn) sendPage(response, 200, 'form')
    else if (query === 'done' || query === FROM_DASHBOARD) sendPage(response, 200, 'done')
    else sendRedirect(response, 303, './')
  }

  return (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
  ): Promise<void> | void | 'not-mine' => {
    const { method } = request
    if (path === '/' && gate.owner !== undefined) {
      const { owner } = gate
      const isOpening = owner.hasToken(query)
      const cookie = isOpening ? owner.cookieFor(request.headers, query) : owner.renewed(request.headers)
      if (cookie !== undefined) response.setHeader('Set-Cookie', cookie)
      // Another program that used this port may have left pages and scripts under our URLs in the browser's cache.
      if (isOpening && cookie !== undefined) response.setHeader('Clear-Site-Data', '"cache"')
      // Removes the token from the address bar at once, even if it is wrong.
      if (isOpening) return sendRedirect(response, 303, './')
    }
    if (path === '/session')
      return method === 'GET' ? sendSession(request, response, gate) : sendMethodNotAllowed(response, 'GET')
    if (path === '/logout' && signIn !== undefined)
      return method === 'POST' ? signOut(request, response, gate) : sendMethodNotAllowed(response, 'POST')
    if (path !== LOGIN_PATH) return 'not-mine'
    if (method === 'POST' && signIn !== undefined) return signIn(request, response, query)
    if (method === 'GET' || method === 'HEAD') return sendLogin(request, response, query)
    return sendMethodNotAllowed(response, signIn === undefined ? 'GET, HEAD' : 'GET, HEAD, POST')
  }
}

type SendPage = (response: ServerResponse, status: number, state: PageState, more?: Headers) => void

const pageSender =
  (page: string): SendPage =>
  (response, status, state, more = {}) => {
    const body = page.replace('data-state="form"', `data-state="${state}"`)
    sendBody(response, status, 'text/html; charset=utf-8', body, { ...LOGIN_HEADERS, ...more })
  }

/** Handles the sign-in form. Attempts are limited and checked one after the other. */
function passwordForm(
  { accounts, lifeMs }: Extract<Access, { kind: 'password' }>,
  sessions: Sessions,
  { addressOf, isHttps, basePath }: Gate,
  sendPage: SendPage,
  nowMs: () => number,
) {
  const perAccount = createRateLimit(nowMs, TRIES)
  const overall = createRateLimit(nowMs, ALL_TRIES)
  const inTurn = createSerial()
  let checks = 0
  return async (request: IncomingMessage, response: ServerResponse, query: string): Promise<void> => {
    const { headers } = request
    // Otherwise another site's page could sign a user in to the attacker's account.
    if (!isOwnPage(headers))
      return isPortDropped(headers)
        ? sendPage(response, 403, 'host', { Connection: 'close' })
        : refuseBody(response, FOREIGN_ORIGIN)
    const body = await bodyOf(request, response, FORM_MAX_BYTES)
    if (body === undefined) return
    const form = new URLSearchParams(body.toString('utf8'))
    const [name, password] = [form.get('name') ?? '', form.get('password') ?? '']
    const key = `${networkOf(addressOf(request))} ${createHash('sha256').update(name).digest('base64')}`
    const waitS = perAccount.waitS(key) || overall.waitS('all')
    if (waitS > 0) return sendPage(response, 429, 'wait', { 'Retry-After': String(waitS) })
    // Counted before the check, so that parallel attempts count in full.
    perAccount.count(key)
    overall.count('all')
    // Taken before the check, so that the session ends if the account's line changes during the check.
    const stamp = accounts.stampOf(name)
    if (checks >= CHECKS_MAX) return sendPage(response, 429, 'wait', { 'Retry-After': '5' })
    checks++
    const isRight = await inTurn(() => accounts.verify(name, password)).finally(() => checks--)
    if (!isRight || stamp === undefined) return sendPage(response, 401, 'wrong')
    const isSecure = isHttps(request) || headers.origin?.startsWith('https:') === true
    const token = sessions.begin({ name, stamp, isSecure })
    sendRedirect(response, 303, query === FROM_DASHBOARD ? '?done' : './', {
      'Set-Cookie': cookieText('session', headers, basePath, { token, isSecure }, Math.floor(lifeMs / 1_000)),
    })
  }
}

function signOut(
  request: IncomingMessage,
  response: ServerResponse,
  { sessions, isHttps, basePath }: Gate,
): void {
  const { headers } = request
  if (!isOwnPage(headers)) return sendProblem(response, FOREIGN_ORIGIN)
  const sent = cookieValues('session', headers, basePath, isHttps(request))
  for (const { token } of sent) sessions?.end(token)
  const [first] = sent
  sendJson(
    response,
    200,
    {},
    first && { 'Set-Cookie': cookieText('session', headers, basePath, { ...first, token: '' }, 0) },
  )
}

/** For the dashboard's own page: the user's name, and whether signing out is possible. */
function sendSession(request: IncomingMessage, response: ServerResponse, gate: Gate): void {
  const visitor = gate.admit(request)
  if (typeof visitor === 'string') return sendRefusal(request, response, gate.access.kind, visitor)
  if (isCrossOrigin(request.headers)) return sendProblem(response, FOREIGN_ORIGIN)
  sendJson(response, 200, { name: visitor.name, canSignOut: gate.access.kind === 'password' })
}

/** Answers visitors without access: redirects a user who opens the page to the sign-in, and answers a program with the cause. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  kind: Access['kind'],
  refusal: Refusal,
): void {
  if (refusal === 'elsewhere') return sendProblem(response, ELSEWHERE)
  if (refusal === 'passed-on')
    return sendProblem(response, PASSED_ON, { [PROXY_FAILURE_HEADER]: 'not-allowed' })
  const isPage = request.method === 'GET' && splitTarget(request.url).path === '/'
  if (kind === 'password' && isPage) {
    // After a link on another site the browser withholds the cookie; it sends it when this site itself navigates.
    const isLinked = request.headers['sec-fetch-site'] === 'cross-site'
    return sendRedirect(response, 303, isLinked ? `login?${BACK}` : 'login')
  }
  sendProblem(response, SIGNED_OUT, {
    [PROXY_FAILURE_HEADER]: 'signed-out',
    'WWW-Authenticate': 'Cookie realm="dashboard"',
  })
}

/** Target of links from other sites. Must differ from the page's URL, because navigating to the same URL loads nothing. */
const BACK = 'back'
const BOUNCE = "location.replace('./' + location.hash)"
const BOUNCE_HASH = createHash('sha256').update(BOUNCE).digest('base64')

function sendBounce(response: ServerResponse): void {
  const body = `<!doctype html><title>Immune node dashboard</title><script>${BOUNCE}</script>`
  sendBody(response, 200, 'text/html; charset=utf-8', body, {
    'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${BOUNCE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  })
}

const SIGNED_OUT = problemOf(401, 'Signed out', 'Sign in to this dashboard.')
const ELSEWHERE = problemOf(
  403,
  'Not allowed',
  'This dashboard accepts requests only from its reverse proxy.',
)
const PASSED_ON = problemOf(
  403,
  'Forwarded by another server',
  'This dashboard was started for this computer only, and this request came through another server. Start it with --allow-host NAME and one of: --password-file FILE; --trust-header NAME with --trust-from ADDRESS; --tls-client-ca FILE; or --public. See --help.',
)
const FOREIGN_ORIGIN = foreignOrigin('do this')
