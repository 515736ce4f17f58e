import { join } from 'node:path'
import * as v from 'valibot'
import { putNewest } from '#base/newest-last.ts'
import { jsonIn, membersOf, storedList } from '#base/stored.ts'
import { createWriter, readTextFile } from '#node/files.ts'
import { writeJson } from './receivers.ts'

const THREADS_FILE = 'threads.json'
/** Beyond this, the oldest are forgotten; later messages about their alarms then start a new thread. */
const THREADS_MAX = 2_000
const FILE_MAX_BYTES = 4 * 1024 * 1024

const Thread = v.tuple([v.string(), v.pipe(v.string(), v.maxLength(200))])

export type Threads = ReturnType<typeof openThreads>

/** The threads that receivers attach later messages about an alarm to. Without `folder`, in memory only. */
export function openThreads(folder: string | undefined, report: (line: string) => void) {
  const path = folder === undefined ? undefined : join(folder, THREADS_FILE)
  const text = path === undefined ? undefined : readTextFile(path, FILE_MAX_BYTES)
  const read = text?.ok === true ? membersOf(jsonIn(text.value))?.['threads'] : undefined
  const known = new Map(v.parse(storedList(Thread), read))
  const write = createWriter(
    report,
    (code) => `${path}: can’t be written (${code}). Later messages may start new threads.`,
  )
  const keyOf = (receiver: string, alarm: string): string => `${receiver} ${alarm}`
  return {
    of: (receiver: string, alarm: string): string | undefined => known.get(keyOf(receiver, alarm)),
    put: (receiver: string, alarms: readonly string[], thread: string): void => {
      for (const alarm of alarms) putNewest(known, keyOf(receiver, alarm), thread, THREADS_MAX)
      if (folder === undefined || path === undefined) return
      write(() => writeJson(folder, path, { threads: Array.from(known) }))
    },
  }
}
