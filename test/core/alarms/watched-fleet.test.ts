import { describe, expect, it } from 'vitest'
import { fleetWorld } from './fleet-world.ts'
describe('silence', () => {
  it('of nodes that are never asked is blindness too', () => {
    const world = fleetWorld(2)
    world.pass(600_000)
    expect(world.instances()).toMatchObject([
      { kind: 'blind', phase: 'firing', severity: 'critical', value: { unit: 'nodes', value: 2 } },
    ])
  })
})
