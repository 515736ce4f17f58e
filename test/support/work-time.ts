import process from 'node:process'
import { afterAll } from 'vitest'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- declaration merging needs an interface
  interface TaskMeta {
    /** CPU time of this process while the file ran; browsers and servers are other processes. */
    workMs?: number
  }
}

const before = process.cpuUsage()

// oxlint-disable-next-line no-empty-pattern -- vitest reads this pattern to see which fixtures the hook needs
afterAll(({}, suite) => {
  const { user, system } = process.cpuUsage(before)
  suite.file.meta.workMs = (user + system) / 1_000
})
