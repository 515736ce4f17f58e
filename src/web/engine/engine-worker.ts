import * as Comlink from 'comlink'
import { createAlarmStore } from '#alarms/alarm-store.ts'
import { bytesToHex } from '#base/bytes.ts'
import { testStorage } from '#storage/self-test.ts'
import { createCharts } from '#charts/read-charts.ts'
import { createStoredHistory } from '#history/store/stored-history.ts'
import { readSummary } from '#report/read-summary.ts'
import { createTransfers } from '#history/transfer/transfers.ts'
import { createNetworkStore } from '#pipeline/network-recorder.ts'
import { createReadingStore } from '#pipeline/reading-keeper.ts'
import { createBatchTransport } from '#platform/batch-transport.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import { watchProtocols } from '#platform/worker-protocols.ts'
import { networkProbe } from '#platform/worker-probes.ts'
import { linesOf } from '#platform/worker-file-lines.ts'
import { systemClock } from '#platform/system-clock.ts'
import { createOutboxStorage } from '#platform/worker-outbox-storage.ts'
import { createPost } from '#platform/worker-post.ts'
import { randomBytes } from '#platform/worker-environment.ts'
import { engineLock } from '#platform/worker-engine-lock.ts'
import { hearPages } from '#platform/page-words.ts'
import { holdLife, watchLife } from '#platform/worker-life.ts'
import { createVerifier } from '#platform/worker-verifier.ts'
import { createHistoryStorage } from '#platform/worker-history-storage.ts'
import { browserPacker } from '#platform/worker-packer.ts'
import { pause } from '#platform/worker-pause.ts'
import { VERSION } from '#texts/version.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createAlarmTexts } from '#texts/alarm-message.ts'
import { createEngineHost } from './engine-host.ts'
import { createPortSigner } from './port-signer.ts'
import { SITE } from '#platform/site.ts'

const ID = bytesToHex(randomBytes(8))

const storage = createHistoryStorage()
const stored = createStoredHistory({
  clock: systemClock,
  storage,
  packer: browserPacker,
  pause,
  writer: ID,
  metrics: METRICS,
})

/**
 * A SharedWorker receives each page's port on connect. A dedicated Worker, used where shared ones are unsupported, receives it
 * with its first message.
 */
const isShared = 'onconnect' in globalThis

const { send, isBatching } = createBatchTransport(createFetchTransport(systemClock, SITE), systemClock, SITE)

const { open } = createEngineHost({
  id: ID,
  clock: systemClock,
  metrics: METRICS,
  transport: send,
  history: {
    ...stored,
    ...createCharts(stored.state),
    readSummary: (query) => readSummary(stored.state, query),
  },
  transfer: createTransfers(stored),
  alarmStore: createAlarmStore(storage),
  readingStore: createReadingStore(storage),
  networkStore: createNetworkStore(storage),
  linesOf,
  probe: networkProbe,
  inFlightMax: watchProtocols(),
  isBatching,
  verify: createVerifier(),
  openSigner: (port) => createPortSigner(port, systemClock),
  delivery: {
    post: createPost(systemClock, SITE),
    storage: createOutboxStorage(),
    texts: (fleet) => createAlarmTexts(fleet, SITE, METRICS),
  },
  lock: engineLock({ clock: systemClock, id: ID, version: VERSION }),
  life: holdLife(),
  whenGone: watchLife,
  testStorage: () => testStorage(storage, systemClock, randomBytes),
  close: () => globalThis.close(),
})

addEventListener(isShared ? 'connect' : 'message', (event) => {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined
  if (port !== undefined) Comlink.expose(open(), port)
})

// Another tab may keep this engine alive, and it would store what it holds in memory again.
hearPages((word) => {
  if (word === 'forgotten') globalThis.close()
})
