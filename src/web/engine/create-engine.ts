import type { Clock } from '#base/clock.ts'
import type { AlarmStore } from '#alarms/alarm-store.ts'
import { err } from '#base/result.ts'
import type { History } from '#history/history.ts'
import type { StoredHistory } from '#history/transfer/stored-history.ts'
import type { LineSource } from '#history/transfer/transfer.ts'
import { runConnectionTest } from '#monitor/run-connection-test.ts'
import { findProfile } from '#monitor/find-profile.ts'
import type { NetworkProbe, Transport } from '#protocol/ports.ts'
import type { DraftSigner, Signer, TrySigner, VerifySignature } from '#signing/signer.ts'
import type { ServiceId } from '#record/service.ts'
import type { EngineApi } from './bridge.ts'
import { createTabEngine, type TabWorld } from './tab-engine.ts'
import type { DeliveryWorld } from './notification-service.ts'
import { relayHistory } from './history-relay.ts'
import { whileLeading } from './while-leading.ts'
import { relayUpdates } from './update-relay.ts'

/** What a history offers that outlives the tab. */
type Keeping = Pick<
  StoredHistory,
  'start' | 'rest' | 'status' | 'configure' | 'dispose' | 'saved' | 'log' | 'transfer'
>

export type EnginePorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly probe?: NetworkProbe
  /** Checks proofs; absent: none is checked. */
  readonly verify?: VerifySignature
  readonly history: History & Partial<Keeping>
  /** The signer at the other end of a port. */
  readonly openSigner: (port: MessagePort) => Signer & Partial<DraftSigner & TrySigner>
  /** Reads a file; absent where there are none. */
  readonly linesOf?: (file: Blob) => LineSource
  readonly world: TabWorld
  /** Where alarms are kept; absent: they end with the tab. */
  readonly alarmKeeper?: AlarmStore
  /** Absent: nothing is sent to anybody. */
  readonly outgoing?: DeliveryWorld
}

/** What the page is offered, but for what has nothing to do with watching. */
export type Engine = Omit<EngineApi, 'testStorage'> & { readonly dispose: () => void }

/** Of a test that signs nothing; the signer knows none by this number. */
const NO_DRAFT = 0

/** The engine behind the page's API. `dispose` ends every request and timer; a Worker that is terminated need not call it. */
export function createEngine(ports: EnginePorts): Engine {
  const { clock, transport, probe, openSigner, history } = ports
  let connected: (Signer & Partial<DraftSigner & TrySigner>) | undefined
  const signer: Signer = {
    signStatusRequest: async (serviceId, nodeId, correctionMs) =>
      connected === undefined
        ? err('no-answer')
        : connected.signStatusRequest(serviceId, nodeId, correctionMs),
  }
  const draftSigner = (draftId: number): Signer => ({
    signStatusRequest: async (...request) =>
      connected?.signDraft === undefined ? err('no-answer') : connected.signDraft(draftId, ...request),
  })
  const signTry: TrySigner['signTry'] = async (...request) =>
    connected?.signTry === undefined ? err('no-answer') : connected.signTry(...request)
  const { monitor, state, dispose, ...shared } = createTabEngine({
    ...ports,
    signer,
    transfer: transferOf(ports),
  })
  const heartbeatOffset = (id: ServiceId) => monitor.snapshot().services.get(id)?.heartbeatOffset
  const offset = (id: ServiceId) => monitor.snapshot().services.get(id)?.offset
  let endRelay = (): void => undefined
  let endHistoryRelay = (): void => undefined
  let endHistory = (): void => undefined

  return {
    connectSigner: async (port) => {
      connected = openSigner(port)
      monitor.keyChanged()
    },
    subscribe: async (listener) => {
      endRelay()
      endRelay = relayUpdates(monitor, listener)
    },
    ...shared,
    runConnectionTest: async (draft, report) =>
      runConnectionTest(
        { clock, transport, probe, signer: draftSigner(draft.draftId ?? NO_DRAFT), heartbeatOffset },
        draft,
        report,
      ),
    findProfile: async (draft, report) => findProfile({ clock, transport, signTry, offset }, draft, report),
    keepHistory: async ({ known, retention }, listener) => {
      const { start, status, configure } = history
      if (start === undefined || status === undefined) return
      configure?.(retention)
      endHistoryRelay()
      endHistoryRelay = relayHistory(clock, status, listener)
      endHistory()
      endHistory = whileLeading(state, () => void start(known), history.rest)
    },
    setRetention: async (retention) => history.configure?.(retention),
    setOffline: async (offline) => monitor.setOffline(offline),
    dispose: () => {
      endRelay()
      endHistory()
      endHistoryRelay()
      dispose()
      history.dispose?.()
    },
  }
}

const transferOf =
  ({ history, linesOf }: EnginePorts): EngineApi['transfer'] =>
  async (task, sink) =>
    history.transfer === undefined || linesOf === undefined
      ? { kind: 'failed', failure: 'none' }
      : history.transfer('file' in task ? { ...task, file: linesOf(task.file) } : task, sink)
