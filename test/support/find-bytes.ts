import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Files below a folder that contain these bytes, as paths relative to it. */
export function filesWith(folder: string, bytes: Uint8Array): readonly string[] {
  const needle = Buffer.from(bytes)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size > 0 && readFileSync(file).includes(needle))
    .map((file) => relative(folder, file))
}

/** Ids of the browser processes that use this profile folder, including child processes. Linux only. */
export function processesOf(profile: string): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const parents = new Map(all.map((pid) => [pid, parentOf(pid)]))
  const found = new Set(
    all.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(`--user-data-dir=${profile}`)),
  )
  // Child processes do not name the folder; a browser's process tree is at most three levels deep.
  for (let depth = 0; depth < 4; depth++)
    for (const [pid, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(pid)
  return Array.from(found)
}

const parentOf = (pid: number): number | undefined => {
  const match = /^PPid:\s+(\d+)$/m.exec(textOf(`/proc/${pid}/status`))
  return match?.[1] === undefined ? undefined : Number(match[1])
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // The process has ended.
  }
}

const PAGE_BYTES = 4_096
/** Each page has an entry of 8 bytes: bit 63 means that the page is in memory, bit 62 that it is swapped out. */
const PAGE_ENTRY_BYTES = 8
const IS_KEPT = 0xc0
const CHUNK_PAGES = 2_048

/** Counts occurrences of bytes in a process's writable memory. Needs root, or the same user without a sandbox. */
export function countInMemory(pid: number, bytes: Uint8Array): number {
  const needle = Buffer.from(bytes)
  const chunk = Buffer.allocUnsafe(CHUNK_PAGES * PAGE_BYTES + needle.length - 1)
  const entries = Buffer.allocUnsafe(CHUNK_PAGES * PAGE_ENTRY_BYTES)
  let count = 0
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const pagemap = openSync(`/proc/${pid}/pagemap`, 'r')
  try {
    for (const [from, to] of writableRanges(pid))
      for (let at = from; at < to; at += CHUNK_PAGES * PAGE_BYTES) {
        const pages = Math.min(CHUNK_PAGES, (to - at) / PAGE_BYTES)
        const known = readAt(
          pagemap,
          entries.subarray(0, pages * PAGE_ENTRY_BYTES),
          (at / PAGE_BYTES) * PAGE_ENTRY_BYTES,
        )
        for (const [first, last] of keptPages(known)) {
          // Includes the beginning of the next page, so that no occurrence is split.
          const start = at + first * PAGE_BYTES
          const size = (last - first) * PAGE_BYTES
          const length = Math.min(size + needle.length - 1, to - start)
          const seen = readAt(memory, chunk.subarray(0, length), start)
          for (let hit = seen.indexOf(needle); hit !== -1 && hit < size; hit = seen.indexOf(needle, hit + 1))
            count++
        }
      }
  } finally {
    closeSync(memory)
    closeSync(pagemap)
  }
  return count
}

function writableRanges(pid: number): readonly (readonly [number, number])[] {
  return textOf(`/proc/${pid}/maps`)
    .split('\n')
    .flatMap((line) => {
      const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
      if (match?.[1] === undefined || match[2] === undefined || line.includes('[v')) return []
      return [[Number.parseInt(match[1], 16), Number.parseInt(match[2], 16)] as const]
    })
}

/** Ranges of pages in use, as [first, behind the last]. A browser reserves a hundred times what it uses. */
function keptPages(entries: Buffer): readonly (readonly [number, number])[] {
  const rows: [number, number][] = []
  for (let page = 0; page * PAGE_ENTRY_BYTES < entries.length; page++) {
    if (((entries[page * PAGE_ENTRY_BYTES + 7] ?? 0) & IS_KEPT) === 0) continue
    const row = rows.at(-1)
    if (row?.[1] === page) row[1] = page + 1
    else rows.push([page, page + 1])
  }
  return rows
}

/** Reads as much as possible, because the process may release memory at any time. */
function readAt(file: number, into: Buffer, at: number): Buffer {
  try {
    return into.subarray(0, readSync(file, into, 0, into.length, at))
  } catch {
    return into.subarray(0, 0)
  }
}
