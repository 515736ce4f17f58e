import type { Election, ElectionPorts, TabRole } from '#tabs/election.ts'
import { electByLock, type LockView } from '#tabs/elect-by-lock.ts'
import { electByMessage } from '#tabs/elect-by-message.ts'
import type { TabMessage } from '#tabs/tab-message.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'

/** This tab, one whose name is lower and one whose name is higher. */
export const ME = '5555555555555555'
export const LOWER = '1111111111111111'
export const HIGHER = '9999999999999999'

type Asked = {
  readonly how: 'wait' | 'steal'
  readonly told: { readonly granted: () => void; readonly lost: () => void }
  isOver: boolean
}

function observed(make: (ports: ElectionPorts) => Election, given: Partial<ElectionPorts> = {}) {
  const clock = createFakeClock(TEST_START_MS)
  const said: TabMessage[] = []
  const election = make({ clock, id: ME, random: () => 0, post: (message) => said.push(message), ...given })
  const roles: TabRole[] = []
  election.role.subscribe(() => roles.push(election.role.get()))
  return {
    clock,
    election,
    role: () => election.role.get(),
    /** Roles that were published since the last look. */
    roles: () => roles.splice(0),
    /** What this tab said since the last look. */
    said: () => said.splice(0),
    /** The kinds of it alone. */
    kinds: () => said.splice(0).map(({ kind }) => kind),
    hear: election.hear,
  }
}

/** One tab of a browser without locks. */
export const tabByMessage = () => observed(electByMessage)

/** One tab, whose lock and whose looks at it the test answers by hand. */
export function tabByLock(given: Partial<ElectionPorts> = {}) {
  const requests: Asked[] = []
  const looks: ((seen: LockView) => void)[] = []
  const tab = observed(
    (ports) =>
      electByLock({
        ...ports,
        lock: {
          request: (how, told) => {
            const asked: Asked = { how, told, isOver: false }
            requests.push(asked)
            return () => {
              asked.isOver = true
            }
          },
          look: (told) => {
            looks.push(told)
          },
        },
      }),
    given,
  )
  const last = () => {
    const asked = requests.at(-1)
    if (asked === undefined) throw new Error('the lock was not asked for')
    return asked
  }
  return {
    ...tab,
    requests,
    grant: () => last().told.granted(),
    lose: () => last().told.lost(),
    /** Answers every look so far. Returns how many there were. */
    see: (mine: boolean, others: readonly string[] = []): number => {
      const waiting = looks.splice(0)
      for (const told of waiting) told({ mine, tabs: new Set([ME, ...others]) })
      return waiting.length
    },
    /** Answers the newest look alone: the lock is this tab's, and there is no other. */
    seeNewest: () => looks.pop()?.({ mine: true, tabs: new Set([ME]) }),
  }
}
