import { describe, expect, it } from 'vitest'
import { createStoreState, noteLoss } from '#history/store/store-state.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { quickPacker } from './kept-history.ts'

function created() {
  const clock = createFakeClock()
  let pauses = 0
  const state = createStoreState({
    clock,
    storage: createMemoryStorage(),
    packer: quickPacker,
    pause: async () => {
      pauses++
    },
    writer: 'one',
  })
  return { clock, state, pauses: () => pauses }
}

describe('what a store remembers', () => {
  it('pauses for others after every eighth part of long work', async () => {
    const { state, pauses } = created()
    const after: number[] = []
    for (let part = 1; part <= 17; part++) {
      await state.yieldToEventLoop()
      after.push(pauses())
    }
    expect([after[6], after[7], after[14], after[15], after[16]]).toEqual([0, 1, 1, 2, 2])
  })

  it('does what must not be mixed one after another, also after what failed', async () => {
    const { state } = created()
    const done: string[] = []
    let end = (): void => undefined
    const first = state.exclusive(
      () =>
        new Promise<void>((_, reject) => {
          end = () => reject(new Error('disk'))
        }),
    )
    const second = state.exclusive(async () => done.push('second'))
    await Promise.resolve()
    done.push('begun')
    end()
    await expect(first).rejects.toThrow('disk')
    expect(await second).toBe(2)
    expect(done).toEqual(['begun', 'second'])
  })

  it('has timers that end with it', async () => {
    const { state, clock } = created()
    const rung: string[] = []
    state.after(10, () => rung.push('early'))
    state.after(20, () => rung.push('late'))
    await clock.advance(10)
    expect([state.isEnded, rung]).toEqual([false, ['early']])
    state.dispose()
    expect([state.isEnded, clock.pendingMs()]).toEqual([true, []])
    await clock.advance(10)
    expect(rung).toEqual(['early'])
  })

  it('counts records that can’t be read', () => {
    const { state } = created()
    state.onDamaged()
    state.onDamaged()
    expect(state.status.get().damaged).toBe(2)
  })

  it('notes a loss of which nobody knows how far it went', () => {
    const { state } = created()
    noteLoss(state, undefined)
    expect(state.status.get().lost).toEqual({ noticedMs: TEST_START_MS, lastMs: undefined })
    expect(state.events.waiting().map(({ entry }) => entry)).toStrictEqual([
      { wallMs: TEST_START_MS, area: 'watching', what: 'history-lost' },
    ])
  })
})
