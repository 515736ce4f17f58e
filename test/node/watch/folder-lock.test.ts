import { utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { lockFolder } from '#watch/folder-lock.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'

const HERE = hostname()
const NO_PROCESS = 4_194_304

it.each([
  ['a process that runs', { pid: process.ppid, host: HERE }, 0, false],
  ['a process that has ended', { pid: NO_PROCESS, host: HERE }, 0, true],
  ['a previous container with this process id', { pid: process.pid, host: HERE }, 0, true],
  ['another computer', { pid: NO_PROCESS, host: 'elsewhere' }, 20_000, false],
  ['another computer that is gone', { pid: NO_PROCESS, host: 'elsewhere' }, 40_000, true],
  ['an unknown process, as the file is damaged', 'x', 0, true],
])('a folder lock is free only if its owner is gone: %s', (_, owner, ageMs, isFree) => {
  const folder = temporaryFolder()
  const path = join(folder, 'watch.lock')
  const clock = createFakeClock(Date.now())
  writeFileSync(path, JSON.stringify(owner))
  const writtenMs = clock.wallMs() - ageMs
  utimesSync(path, writtenMs / 1_000, writtenMs / 1_000)
  const lock = lockFolder(folder, clock, () => undefined)
  expect(lock.ok).toBe(isFree)
  if (lock.ok) lock.value.release()
})

it('a lock that another process took over reports its loss and leaves the file alone', async () => {
  const folder = temporaryFolder()
  const clock = createFakeClock(Date.now())
  let isLost = false
  const lock = lockFolder(folder, clock, () => (isLost = true))
  await clock.advance(15_000)
  expect(isLost).toBe(false)
  writeFileSync(join(folder, 'watch.lock'), JSON.stringify({ pid: process.ppid, host: HERE }))
  await clock.advance(15_000)
  expect(isLost).toBe(true)
  if (lock.ok) lock.value.release()
  expect(lockFolder(folder, clock, () => undefined).ok).toBe(false)
})
