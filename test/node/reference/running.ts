import { onTestFinished } from 'vitest'
import type { ReferenceOptions } from '#reference/options.ts'
import type { ReferenceAddresses, ReferenceService } from '#reference/reference-service.ts'
import { createBenchService } from '#test/support/bench-service.ts'
import { testKey } from './client.ts'

export type Running = ReferenceAddresses & {
  readonly service: ReferenceService
  /** The id of the node with this number. */
  readonly id: (index: number) => string
}

/** A key that is registered for all nodes. */
export const VIEWER = testKey(1)

/** A reference service on free ports that ends with the test. */
export async function runReference(options: ReferenceOptions = {}): Promise<Running> {
  const service = createBenchService(options)
  const addresses = await service.listen()
  onTestFinished(() => service.close())
  service.keys.register(VIEWER.hex)
  return { ...addresses, service, id: service.network.idOf }
}
