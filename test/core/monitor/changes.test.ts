import { expect, it } from 'vitest'
import { createChanges } from '#monitor/changes.ts'
import { keyOf } from './watch.ts'

it('each change is told at once, and taken once, with all others since', () => {
  let told = 0
  const { changes, take } = createChanges(() => told++)
  expect(take()).toEqual({ nodes: new Set(), order: false, services: false })
  changes.node(keyOf(0))
  changes.node(keyOf(1))
  changes.node(keyOf(0))
  expect(told).toBe(3)
  expect(take()).toEqual({ nodes: new Set([keyOf(0), keyOf(1)]), order: false, services: false })
  changes.order()
  expect(take()).toEqual({ nodes: new Set(), order: true, services: false })
  changes.services()
  expect(take()).toEqual({ nodes: new Set(), order: false, services: true })
  changes.screen()
  expect(told).toBe(6)
  expect(take()).toEqual({ nodes: new Set(), order: false, services: false })
})
