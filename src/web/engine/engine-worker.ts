import * as Comlink from 'comlink'
import { createAlarmStore } from '#alarms/alarm-store.ts'
import { bytesToHex } from '#base/bytes.ts'
import { createStoredHistory } from '#history/transfer/stored-history.ts'
import { testStorage } from '#history/store/self-test.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import { networkProbe } from '#platform/worker-probes.ts'
import { linesOf } from '#platform/worker-file-lines.ts'
import { systemClock } from '#platform/system-clock.ts'
import { openTabChannel } from '#platform/tab-channel.ts'
import { createOutboxStorage } from '#platform/worker-outbox-storage.ts'
import { createPost } from '#platform/worker-post.ts'
import { randomBytes } from '#platform/worker-environment.ts'
import { leaderLock } from '#platform/worker-tabs.ts'
import { createVerifier } from '#platform/worker-verifier.ts'
import { createHistoryStorage } from '#platform/worker-history-storage.ts'
import { browserPacker } from '#platform/worker-packer.ts'
import { pause } from '#platform/worker-pause.ts'
import { ENGINE_NAMES, type EngineApi } from './bridge.ts'
import { createEngine } from './create-engine.ts'
import { createPortSigner } from './port-signer.ts'

const TAB = bytesToHex(randomBytes(8))

const storage = createHistoryStorage()

const { dispose: _, ...api } = createEngine({
  clock: systemClock,
  transport: createFetchTransport(systemClock, globalThis.location.origin),
  history: createStoredHistory({
    clock: systemClock,
    storage,
    packer: browserPacker,
    pause,
    writer: TAB,
  }),
  alarmKeeper: createAlarmStore(storage),
  linesOf,
  probe: networkProbe,
  verify: createVerifier(),
  openSigner: (port) => createPortSigner(port, systemClock),
  outgoing: {
    post: createPost(systemClock),
    storage: createOutboxStorage(),
    origin: globalThis.location.origin,
  },
  world: {
    id: TAB,
    // The file's name changes with its content.
    build: globalThis.location.pathname,
    random: Math.random,
    hesitates: globalThis.name === ENGINE_NAMES.alone,
    lock: leaderLock(TAB),
    openChannel: openTabChannel,
  },
})

const offered: EngineApi = { ...api, testStorage: () => testStorage(storage, systemClock, randomBytes) }

Comlink.expose(offered)
