import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Linux counts CPU time in these, whatever its own ticks are. */
const TICK_MS = 10

/** The process of the browser that uses this profile folder. */
export const browserPid = (profile: string): number =>
  Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'SingletonLock')))?.[1])

/** CPU time that a process and all that it started have used so far, in ms. Linux only. */
export function treeCpuMs(root: number): number {
  const parents = new Map<number, { readonly parent: number; readonly ticks: number }>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    let stat: string
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    } catch {
      continue // it ended meanwhile
    }
    // The name, in brackets, may hold anything; behind it come state, parent and, as the 12th and 13th, the times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    parents.set(pid, { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) })
  }
  const belongs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = parents.get(at)?.parent ?? 0) if (at === root) return true
    return false
  }
  let ticks = 0
  for (const [pid, one] of parents) if (belongs(pid)) ticks += one.ticks
  return ticks * TICK_MS
}
