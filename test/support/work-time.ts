import process from 'node:process'
import { afterAll } from 'vitest'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- it adds to the interface of that name
  interface TaskMeta {
    /** What this process worked while the file ran; browsers and servers work elsewhere. */
    workMs?: number
  }
}

const before = process.cpuUsage()

// oxlint-disable-next-line no-empty-pattern -- vitest reads this pattern to see which fixtures are wanted
afterAll(({}, suite) => {
  const { user, system } = process.cpuUsage(before)
  suite.file.meta.workMs = (user + system) / 1_000
})
