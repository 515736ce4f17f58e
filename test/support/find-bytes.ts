import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Files below a folder that hold these bytes, as paths relative to it. */
export function filesWith(folder: string, bytes: Uint8Array): readonly string[] {
  const needle = Buffer.from(bytes)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size > 0 && readFileSync(file).includes(needle))
    .map((file) => relative(folder, file))
}

/** Process ids of a browser that runs with this profile folder, its children included. Linux only. */
export function processesOf(profile: string): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const parents = new Map(all.map((pid) => [pid, parentOf(pid)]))
  const found = new Set(
    all.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(`--user-data-dir=${profile}`)),
  )
  // Children name no folder; a browser's tree is three deep.
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
    return '' // the process has ended
  }
}

const CHUNK_BYTES = 8 * 1_048_576

/** How often bytes occur in the writable memory of a process. Needs root, or the same user without a sandbox. */
export function countInMemory(pid: number, bytes: Uint8Array): number {
  const needle = Buffer.from(bytes)
  let count = 0
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    for (const [from, to] of writableRanges(pid)) count += countInRange(memory, from, to, needle)
  } finally {
    closeSync(memory)
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

function countInRange(memory: number, from: number, to: number, needle: Buffer): number {
  let count = 0
  for (let at = from; at < to; at += CHUNK_BYTES) {
    // Overlapping, so that no occurrence is cut in two.
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES + needle.length - 1, to - at))
    let read = 0
    try {
      read = readSync(memory, chunk, 0, chunk.length, at)
    } catch {
      continue // reserved and never touched: nothing is in it
    }
    const seen = chunk.subarray(0, read)
    for (let hit = seen.indexOf(needle); hit !== -1 && hit < CHUNK_BYTES; hit = seen.indexOf(needle, hit + 1))
      count++
  }
  return count
}
