import { beforeAll, expect, it } from 'vitest'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { loadLateParts } from '#test/support/late-parts.ts'
import { textOf } from './screen.ts'
import { openWorld } from './world.tsx'

beforeAll(async () => {
  giveLayout()
  await loadLateParts()
})

it.each([
  ['only in its proxy', (url: string) => url.includes('/proxy/'), 'service'],
  ['completely', () => true, 'proxy'],
] as const)(
  'when the dashboard server hangs %s, all parts of the screen agree on the cause',
  async (_, isHung, hop) => {
    const world = await openWorld({ nodes: 2 })
    try {
      await world.pass(3_000)
      world.hang(isHung)
      for (let polls = 0; polls < 12; polls++) await world.pass(1_000)
      const isOwn = hop === 'proxy'
      for (const text of [await world.table(), world.page].map(textOf)) {
        expect(text).toContain(isOwn ? 'Dashboard server: timeout' : 'Service: timeout')
        expect(text).toContain(
          isOwn ? 'The dashboard server does not answer' : 'Answers from Test service take',
        )
        expect(text).toContain(isOwn ? 'The dashboard server does not answer' : 'Waiting for the service')
        expect(text.includes('Dashboard server: ')).toBe(isOwn)
      }
      const hops = world.alarms().map(({ value }) => value)
      expect(hops).not.toEqual([])
      for (const value of hops) expect(value).toMatchObject({ failure: { kind: 'timeout', hop } })
    } finally {
      await world.close()
    }
  },
)
