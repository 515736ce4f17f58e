import { expect, it } from 'vitest'
import * as v from 'valibot'
import { ok } from '#base/result.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { memoryDisk, openWatch } from './watch-fixture.ts'

const Message = v.object({ id: v.string(), kind: v.string() })

/** The service fails from second 4 to 24. The process dies at write number `at`, and a new one starts. */
async function run(at: number, when: 'before' | 'after') {
  const disk = memoryDisk('state.json')
  const clock = createFakeClock()
  const world = { status: 200 }
  const received: v.InferOutput<typeof Message>[] = []
  const accept = (body: unknown) => {
    received.push(v.parse(Message, body))
    return ok({ status: 200, answer: '' })
  }
  let drive = disk.open((write) => (write === at ? when : undefined))
  let { watch } = openWatch(drive, world, clock, accept)
  let isKilled = false
  for (let second = 0; second < 50; second++) {
    if (second === 4) world.status = 503
    if (second === 24) world.status = 200
    await clock.advance(1_000)
    if (!drive.isDead() || isKilled) continue
    isKilled = true
    watch.stop()
    drive = disk.open()
    ;({ watch } = openWatch(drive, world, clock, accept))
  }
  const writes = disk.writes()
  watch.stop()
  return { received, isKilled, writes }
}

const idsOf = (received: readonly { readonly id: string; readonly kind: string }[], kind: string) =>
  Array.from(new Set(received.flatMap((one) => (one.kind === kind ? [one.id] : []))))

it('a watch that is killed at any write sends one problem and one recovery; a repeated message keeps its id', async () => {
  const { writes, received } = await run(Number.POSITIVE_INFINITY, 'before')
  expect(received.map(({ kind }) => kind)).toEqual(['problem', 'recovery'])
  for (let at = 1; at <= writes; at++)
    for (const when of ['before', 'after'] as const) {
      const killed = await run(at, when)
      const label = `killed ${when} write ${at}`
      expect(killed.isKilled, label).toBe(true)
      expect(idsOf(killed.received, 'problem'), label).toHaveLength(1)
      expect(idsOf(killed.received, 'recovery'), label).toHaveLength(1)
    }
}, 60_000)
