import * as Comlink from 'comlink'
import { createMemoryHistory } from '#history/memory-history.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import { systemClock } from '#platform/system-clock.ts'
import { createEngine } from './create-engine.ts'
import { createPortSigner } from './port-signer.ts'

const { dispose: _, ...api } = createEngine({
  clock: systemClock,
  transport: createFetchTransport(systemClock, globalThis.location.origin),
  history: createMemoryHistory(),
  openSigner: (port) => createPortSigner(port, systemClock),
})

Comlink.expose(api)
