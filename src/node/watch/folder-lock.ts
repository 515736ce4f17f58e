import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import type { Clock } from '#base/clock.ts'
import { jsonIn, readStored } from '#base/stored.ts'
import { codeOf } from '#node/files.ts'

const FILE = 'watch.lock'
const RENEW_EVERY_MS = 10_000
/** A lock that was not renewed for this long was left by a computer or a container that died. */
const STALE_AFTER_MS = 30_000

const Owner = v.object({ pid: v.number(), host: v.string() })

type FolderLock = { readonly release: () => void }

/**
 * Keeps a second process from writing to the folder. Another computer's process ids mean nothing here, so the file's
 * time decides about those. `lost`: another process took the folder while this one was suspended.
 */
export function lockFolder(folder: string, clock: Clock, lost: () => void): Result<FolderLock, string> {
  const path = join(folder, FILE)
  const own = JSON.stringify({ id: randomUUID(), pid: process.pid, host: hostname() })
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const owner = ownerOf(path, clock.wallMs())
    if (owner !== undefined)
      return err(`${folder} is in use by another watch (${owner}). Choose another folder with --data DIR.`)
    rmSync(path, { force: true })
    // If two processes start together, one of them fails here.
    writeFileSync(path, own, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    return err(`${path}: can’t be written (${codeOf(error)}). Choose another folder with --data DIR.`)
  }
  const isOurs = (): boolean => textOf(path) === own
  let cancel = (): void => undefined
  const renew = (): void => {
    cancel = clock.after(RENEW_EVERY_MS, () => {
      if (!isOurs()) return lost()
      utimesSync(path, new Date(), new Date())
      renew()
    })
  }
  renew()
  return ok({
    release: () => {
      cancel()
      if (isOurs()) rmSync(path, { force: true })
    },
  })
}

/** Names the process that has the lock; undefined if none does. */
function ownerOf(path: string, wallMs: number): string | undefined {
  const owner = readStored(Owner, jsonIn(textOf(path) ?? ''))
  if (owner === undefined || wallMs - statSync(path).mtimeMs > STALE_AFTER_MS) return undefined
  const { pid, host } = owner
  // A container's process often has the same number at each start.
  if (host === hostname() && (pid === process.pid || !isAlive(pid))) return undefined
  return `process ${pid} on ${host}`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // Without a file there is no lock.
  }
}
