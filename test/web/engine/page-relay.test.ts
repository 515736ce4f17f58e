import { expect, it } from 'vitest'
import { createStore } from '#base/store.ts'
import { relayHistory } from '#engine/page-relay.ts'
import { FIRST_STATUS } from '#history/history-status.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'

it('the page receives changed counts every ten seconds, and a changed state at once', async () => {
  const clock = createFakeClock()
  const status = createStore(FIRST_STATUS)
  const heard: (readonly [state: string, bytes: number])[] = []
  const end = relayHistory(clock, status, ({ state, bytes }) => void heard.push([state, bytes]))
  for (const bytes of [1, 2]) status.publish({ ...FIRST_STATUS, bytes })
  await clock.advance(9_999)
  expect(heard).toEqual([['starting', 0]])
  await clock.advance(1)
  expect(heard.slice(1)).toEqual([['starting', 2]])
  status.publish({ ...FIRST_STATUS, state: 'kept', bytes: 3 })
  await settle()
  expect(heard.slice(2)).toEqual([['kept', 3]])
  status.publish({ ...FIRST_STATUS, state: 'kept', bytes: 4 })
  await clock.advance(10_000)
  expect(heard.slice(3)).toEqual([['kept', 4]])
  end()
  status.publish(FIRST_STATUS)
  await clock.advance(10_000)
  expect(heard).toHaveLength(4)
})
