import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keepAwake, type WakeState } from '#platform/wake-lock.ts'

/** A wake lock like a browser's; `take` releases it as the browser itself would. */
function aLock() {
  const target = new EventTarget()
  const released = vi.fn<() => void>()
  const take = (): void => {
    target.dispatchEvent(new Event('release'))
  }
  const lock = Object.assign(target, {
    release: async (): Promise<void> => {
      released()
      take()
    },
  })
  return { lock, take, released }
}

type Answer = { readonly give: (lock: object) => Promise<void>; readonly refuse: () => Promise<void> }

let asked: Answer[]
let page: EventTarget & { visibilityState: 'visible' | 'hidden' }
let said: WakeState[]

const show = (visibilityState: 'visible' | 'hidden'): void => {
  page.visibilityState = visibilityState
  page.dispatchEvent(new Event('visibilitychange'))
}
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

beforeEach(() => {
  asked = []
  said = []
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' as const })
  vi.stubGlobal('document', page)
  vi.stubGlobal('navigator', {
    wakeLock: {
      request: () =>
        new Promise((resolve, reject) => {
          asked.push({
            give: async (lock) => {
              resolve(lock)
              await settled()
            },
            refuse: async () => {
              reject(new DOMException('no', 'NotAllowedError'))
              await settled()
            },
          })
        }),
    },
  })
})
const start = () => keepAwake((state) => said.push(state))

describe('the wake lock', () => {
  it('is requested again when the page becomes visible', async () => {
    start()
    const first = aLock()
    await asked[0]?.give(first.lock)
    expect(said).toEqual(['held'])
    show('hidden')
    first.take()
    expect(said).toEqual(['held', 'off'])
    expect(asked).toHaveLength(1)
    show('visible')
    expect(asked).toHaveLength(2)
    await asked[1]?.give(aLock().lock)
    expect(said).toEqual(['held', 'off', 'held'])
  })

  it('has one open request at a time, and one more if the page reappeared meanwhile', async () => {
    start()
    show('hidden')
    show('visible')
    expect(asked).toHaveLength(1)
    await asked[0]?.refuse()
    expect(asked).toHaveLength(2)
    const { lock, take } = aLock()
    await asked[1]?.give(lock)
    expect(said.at(-1)).toBe('held')
    show('hidden')
    show('visible')
    expect(asked).toHaveLength(2)
    // A browser may report only now that it released the lock.
    take()
    expect(asked).toHaveLength(3)
  })

  it('F 96: reports a refusal, and does not keep asking', async () => {
    start()
    await asked[0]?.refuse()
    expect(said).toEqual(['refused'])
    expect(asked).toHaveLength(1)
  })

  it('is released at the end, even if it is granted afterwards', async () => {
    const end = start()
    end()
    const late = aLock()
    await asked[0]?.give(late.lock)
    expect(late.released).toHaveBeenCalledTimes(1)
    const endOther = start()
    const other = aLock()
    await asked[1]?.give(other.lock)
    endOther()
    expect(other.released).toHaveBeenCalledTimes(1)
    expect(asked).toHaveLength(2)
    expect(said).toEqual(['held'])
  })

  it('is reported as unsupported where the browser lacks it', () => {
    vi.stubGlobal('navigator', {})
    start()
    expect(said).toEqual(['unsupported'])
  })
})
