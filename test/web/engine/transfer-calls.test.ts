import { describe, expect, it } from 'vitest'
import { createStore } from '#base/store.ts'
import { createTransferCalls } from '#engine/transfer-calls.ts'
import type { EngineApi } from '#engine/bridge.ts'
import type { TransferEnd, TransferSink, TransferTask } from '#history/transfer/transfer.ts'
import type { TabCall } from '#tabs/share-message.ts'
import type { TabState } from '#tabs/tabs.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'

const TASK: TransferTask<Blob> = { what: 'delete', node: 's!1' }
const FOLLOWS: TabState = {
  role: 'following',
  leader: 'one',
  term: 1,
  by: 'locks',
  otherBuild: false,
  tookOver: false,
  silent: false,
}
const LEADS: TabState = {
  role: 'leading',
  leader: 'two',
  term: 1,
  by: 'locks',
  otherBuild: false,
  tookOver: false,
  silent: false,
}

/** Five parts, then the end; it says how often it was told to go on. */
const fiveParts =
  (told: boolean[] = []): EngineApi['transfer'] =>
  async (_task, sink) => {
    for (let part = 1; part <= 5; part++) {
      const goesOn = await sink(`<${part}>`, part / 5)
      told.push(goesOn)
      if (!goesOn) return { kind: 'cancelled' }
    }
    return { kind: 'done', rows: 5, skipped: 0 }
  }

/** A tab that follows and one that leads; `loses` says which answers, counted from 1, never arrive. */
function twoTabs(own: EngineApi['transfer'], loses: (answer: number) => boolean = () => false) {
  const clock = createFakeClock()
  const noTabs = { ask: async () => undefined, state: createStore(LEADS) }
  const leader = createTransferCalls(clock, own, noTabs, () => 'none')
  let answers = 0
  let isGone = false
  const follower = createTransferCalls(
    clock,
    async () => ({ kind: 'failed', failure: 'none' }),
    {
      state: createStore(FOLLOWS),
      ask: async (call: TabCall) => {
        const answered =
          isGone || call.what !== 'transfer'
            ? undefined
            : structuredClone(await leader.answer(structuredClone(call)))
        return loses(++answers) ? undefined : answered
      },
    },
    () => 'job 1',
  )
  return { clock, leader, follower, leave: () => (isGone = true) }
}

async function gather(
  run: (sink: TransferSink) => Promise<TransferEnd>,
  stopAt = Number.POSITIVE_INFINITY,
): Promise<{ text: string; shares: number[]; end: TransferEnd }> {
  let text = ''
  const shares: number[] = []
  const end = await run(async (part, share) => {
    text += part
    shares.push(share)
    return shares.length < stopAt
  })
  return { text, shares, end }
}

describe('long work on the history in a tab that follows', () => {
  it('is done by the tab that leads, and comes part by part', async () => {
    const { follower } = twoTabs(fiveParts())
    expect(await gather((sink) => follower.anywhere(TASK, sink))).toEqual({
      text: '<1><2><3><4><5>',
      shares: [0.2, 0.4, 0.6, 0.8, 1],
      end: { kind: 'done', rows: 5, skipped: 0 },
    })
  })

  it.each([2, 3, 4])('neither loses nor doubles a part where every %ith answer is lost', async (nth) => {
    const { follower } = twoTabs(fiveParts(), (answer) => answer % nth === 0)
    const { text, end } = await gather((sink) => follower.anywhere(TASK, sink))
    expect([text, end]).toEqual(['<1><2><3><4><5>', { kind: 'done', rows: 5, skipped: 0 }])
  })

  it('stops when it is told to, and says what came of it', async () => {
    const told: boolean[] = []
    const { follower } = twoTabs(fiveParts(told))
    const { text, end } = await gather((sink) => follower.anywhere(TASK, sink), 2)
    expect([text, end, told]).toEqual(['<1><2>', { kind: 'cancelled' }, [true, false]])
  })

  it('waits for work that is slow, and for no tab that is gone', async () => {
    let go = (): void => undefined
    const slow: EngineApi['transfer'] = async () => {
      await new Promise<void>((resolve) => (go = resolve))
      return { kind: 'done', rows: 1, skipped: 0 }
    }
    const { clock, follower } = twoTabs(slow)
    const done = follower.anywhere(TASK, async () => true)
    await clock.advance(60_000)
    go()
    await clock.advance(1_000)
    expect(await done).toEqual({ kind: 'done', rows: 1, skipped: 0 })

    const other = twoTabs(fiveParts())
    other.leave()
    expect(await other.follower.anywhere(TASK, async () => true)).toEqual({
      kind: 'failed',
      failure: 'no-answer',
    })
  })

  it('is stopped where nobody fetches what it writes, and is then not known', async () => {
    const told: boolean[] = []
    const { clock, leader } = twoTabs(fiveParts(told))
    await leader.answer({ what: 'transfer', step: 'begin', id: 'a', task: TASK })
    await clock.advance(14_999)
    expect(told).toEqual([])
    await clock.advance(1)
    await settle()
    expect(told).toEqual([false])
    expect(await leader.answer({ what: 'transfer', step: 'next', id: 'a', part: 1, goesOn: true })).toEqual({
      kind: 'end',
      end: { kind: 'failed', failure: 'taken' },
    })
  })

  it('is not begun more than four times at once, but again and again', async () => {
    const { leader, follower } = twoTabs(fiveParts())
    for (let time = 0; time < 6; time++)
      expect(await follower.anywhere(TASK, async () => true)).toMatchObject({ kind: 'done' })
    const begin = (id: string) => leader.answer({ what: 'transfer', step: 'begin', id, task: TASK })
    const begun = [await begin('a'), await begin('b'), await begin('c'), await begin('d'), await begin('e')]
    expect(begun.map(({ kind }) => kind)).toEqual(['wait', 'wait', 'wait', 'wait', 'end'])
  })

  it('is done by this tab where it leads', async () => {
    const { leader } = twoTabs(fiveParts())
    expect((await gather((sink) => leader.anywhere(TASK, sink))).text).toBe('<1><2><3><4><5>')
  })
})
