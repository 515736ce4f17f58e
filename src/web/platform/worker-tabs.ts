import type { LeaderLock, LockView } from '#tabs/elect-by-lock.ts'

const LEADER = 'immune-leader'
const TAB = 'immune-tab-'

/** The browser's locks; undefined where the page has none. `tab`: this tab's name, held as a lock of its own so that others see that it exists. */
export function leaderLock(tab: string): LeaderLock | undefined {
  const locks = globalThis.isSecureContext ? globalThis.navigator.locks : undefined
  if (locks === undefined) return undefined
  void locks.request(TAB + tab, () => new Promise<never>(() => undefined))

  return {
    request: (how, { granted, lost }) => {
      const waiting = new AbortController()
      let isOver = false
      let isHeld = false
      let giveBack: () => void = () => undefined
      const held = new Promise<void>((resolve) => {
        giveBack = resolve
      })
      const options: LockOptions = how === 'steal' ? { steal: true } : { signal: waiting.signal }
      const hold = async (): Promise<void> => {
        if (isOver) return
        isHeld = true
        granted()
        await held
      }
      locks.request(LEADER, options, hold).catch(() => {
        // Whoever steals a lock has the one that is robbed reject; a wait that was ended rejects too.
        if (isHeld && !isOver) lost()
      })
      return () => {
        isOver = true
        waiting.abort()
        giveBack()
      }
    },
    look: (told) => {
      const view = async (): Promise<LockView> => {
        const { held = [] } = await locks.query()
        const self = held.find(({ name }) => name === TAB + tab)?.clientId
        const leader = held.find(({ name }) => name === LEADER)?.clientId
        const tabs = held.flatMap(({ name }) =>
          name?.startsWith(TAB) === true ? name.slice(TAB.length) : [],
        )
        return { mine: self !== undefined && leader === self, tabs: new Set(tabs) }
      }
      // Without a look nobody is sure, so nobody sends.
      view().then(told, () => undefined)
    },
  }
}
