import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { resolve } from 'node:path'
import { isSameSecret } from '#node/same-secret.ts'
import { cookieNames, cookieText, cookieValues } from './cookies.ts'
import { createWriter } from '#node/files.ts'
import * as v from 'valibot'
import { jsonIn, readStored } from '#base/stored.ts'
import { writeJson } from './receivers.ts'
import { readSecretFrom } from './secrets.ts'

export type OwnerToken = ReturnType<typeof createOwnerToken>

/** 400 days, the longest time for which browsers store a cookie. */
const KEPT_S = 400 * 86_400

const NAME = 'token'

/** `isSecure`: this server has TLS. `basePath`: path of the dashboard, such as "/immune". */
export function createOwnerToken(secret: string, isSecure: boolean, basePath: string) {
  const once = new Set<string>()
  // Bound to the cookie's name and so to the port: another dashboard's cookie is not valid here.
  const valueFor = (headers: IncomingHttpHeaders): string =>
    createHmac('sha256', secret)
      .update(cookieNames('owner', headers, basePath).plain)
      .digest('base64url')
  const cookie = (headers: IncomingHttpHeaders): string =>
    cookieText('owner', headers, basePath, { token: valueFor(headers), isSecure }, KEPT_S)
  return {
    query: `?${NAME}=${secret}`,
    /** A one-time query, because other users of this computer can see the URL with which a browser was started. */
    queryOnce: (): string => {
      const token = randomBytes(16).toString('base64url')
      once.add(token)
      return `?${NAME}=${token}`
    },
    /** Whether the query has a token, valid or not. */
    hasToken: (query: string): boolean => new URLSearchParams(query).has(NAME),
    /** The cookie for a browser that opened a URL with a valid token; otherwise undefined. */
    cookieFor: (headers: IncomingHttpHeaders, query: string): string | undefined => {
      const given = new URLSearchParams(query).get(NAME)
      if (given === null || !(once.delete(given) || isSameSecret(given, secret))) return undefined
      return cookie(headers)
    },
    /** Renews the cookie of a browser that already has it; otherwise undefined. */
    renewed: (headers: IncomingHttpHeaders): string | undefined => {
      const right = valueFor(headers)
      const isRight = cookieValues('owner', headers, basePath, isSecure).some(({ token }) =>
        isSameSecret(token, right),
      )
      return isRight ? cookie(headers) : undefined
    },
  }
}

export const OWNER_FILE = 'owner-token.json'
const Secret = v.pipe(v.string(), v.regex(/^[\w-]{43}$/))

/** The secret of this data folder, so that open pages stay valid when the server restarts. */
export function openOwnerSecret(folder: string, report: (line: string) => void): string {
  const path = resolve(folder, OWNER_FILE)
  const read = readSecretFrom(path, { platform: process.platform, env: {} })
  const kept = read.ok ? readStored(Secret, jsonIn(read.value.toString('utf8'))) : undefined
  // A file that others may read, or that is damaged, is replaced.
  if (kept !== undefined) return kept
  const secret = randomBytes(32).toString('base64url')
  const write = createWriter(
    report,
    (code) =>
      `${path}: can’t be written (${code}). After the next start, use the newly printed address. Choose another folder with --data DIR.`,
  )
  write(() => writeJson(folder, path, secret))
  return secret
}
