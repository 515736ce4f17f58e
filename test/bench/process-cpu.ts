import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Linux reports CPU time in units of 10 ms, whatever the kernel's tick. */
const TICK_MS = 10

/** The id of the browser's main process for this profile folder. */
export const browserPid = (profile: string): number =>
  Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'SingletonLock')))?.[1])

/** CPU time of a process and all its descendants so far, in ms. Linux only. */
export function treeCpuMs(root: number): number {
  const parents = new Map<number, { readonly parent: number; readonly ticks: number }>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    let stat: string
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    } catch {
      continue // The process has ended.
    }
    // The name in parentheses may contain anything. After it come the state, the parent, and as fields 12 and 13 the
    // times.
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
