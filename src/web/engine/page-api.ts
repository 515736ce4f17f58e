import { tryRule } from '#alarms/try-rule.ts'
import type { Clock } from '#base/clock.ts'
import { err } from '#base/result.ts'
import type { EventPage } from '#history/event-log.ts'
import type { TransferSink } from '#history/transfer/transfer.ts'
import { runConnectionTest } from '#monitor/run-connection-test.ts'
import { findProfile } from '#monitor/find-profile.ts'
import type { NetworkProbe, Transport } from '#protocol/transport.ts'
import { relayEvents, relayHistory, relayStore, relayUpdates } from './page-relay.ts'
import type { ServiceId } from '#record/service.ts'
import type { Signer, SigningPurpose } from '#signing/signer.ts'
import type { EngineApi } from './bridge.ts'
import type { Engine } from '#pipeline/engine.ts'

/** A page that takes this long to accept part of a file is frozen or gone. */
const GIVEN_UP_MS = 60_000
/** Draft id of a test without signatures, unknown to the signer. */
const NO_DRAFT = 0

const NOTHING: EventPage = { entries: [], before: undefined }

const notKept = (): Promise<never> => Promise.reject(new Error('no history'))

type Ports = {
  readonly clock: Clock
  readonly transport: Transport
  readonly probe?: NetworkProbe | undefined
  /** The signer that this page connected; undefined before. */
  readonly signer: () => Signer | undefined
  readonly gone: Promise<void>
}

export function createPageApi(engine: Engine, ports: Ports) {
  const { monitor, fleet, network, alarms, outbox, history, metrics } = engine
  const { readSeriesData = notKept, readUsual = async () => ({}), readSummary = notKept } = history
  const { clock } = ports
  const listening = new Map<string, () => void>()
  const end = (): void => {
    for (const stop of listening.values()) stop()
    listening.clear()
  }
  /** A new listener replaces the previous one. */
  const listen = (what: string, stop: () => void): void => {
    listening.get(what)?.()
    listening.set(what, stop)
  }

  return {
    end,
    api: {
      subscribe: async (listener) => listen('fleet', relayUpdates(engine.subscribe, listener)),
      pollNow: async (node) => monitor.pollNow(node),
      lookAt: async (nodes) => monitor.lookAt(nodes),
      keyChanged: async (service) => monitor.keyChanged(service),
      setOffline: async (offline) => monitor.setOffline(offline),
      lastExchange: async (node) => monitor.lastExchange(node),
      readSeriesData,
      readUsual,
      readSummary,
      readNetworkSeries: async (columns) => network.read(columns),
      readEvents: async (query) => history.log?.read(query) ?? NOTHING,
      appendEvents: async (entries) => {
        await history.log?.append(entries)
        await history.saved?.()
      },
      watchEvents: async (listener) => listen('events', relayEvents(clock, history, listener)),
      transfer: (task, sink) => engine.transfer(task, takenBy(sink, ports)),
      keepHistory: async ({ known, retention }, listener) => {
        const { status } = history
        if (status === undefined) return
        history.configure?.(retention)
        listen('history', relayHistory(clock, status, listener))
        engine.keepHistory(known)
      },
      setRetention: async (retention) => history.configure?.(retention),
      watchAlarms: async (listener) =>
        listen(
          'alarms',
          relayStore(alarms.view, (view) => (view === undefined ? undefined : listener(view))),
        ),
      alarmAct: async (act) => alarms.act(act),
      readAlarmMembers: async (id) => alarms.members(id),
      tryRule: (rule, range) => tryRule(readSeriesData, fleet.get(), rule, range, metrics),
      watchDeliveries: async (listener) => listen('deliveries', relayStore(outbox.states, listener)),
      testReceiver: outbox.test,
      tryReceiver: async (id) => outbox.tryNow(id),
      ...connectionTests(engine, ports),
    } satisfies Partial<EngineApi>,
  }
}

/** Stops work for a page that is gone or accepts no more data. */
const takenBy =
  (sink: TransferSink, { clock, gone }: Ports): TransferSink =>
  (text, share) =>
    new Promise((resolve) => {
      const cancel = clock.after(GIVEN_UP_MS, () => resolve(false))
      const settle = (goesOn: boolean): void => {
        cancel()
        resolve(goesOn)
      }
      void gone.then(() => settle(false))
      Promise.resolve(sink(text, share)).then(settle, () => settle(false))
    })

function connectionTests(
  { fleet }: Engine,
  { clock, transport, probe, signer }: Ports,
): Pick<EngineApi, 'runConnectionTest' | 'findProfile'> {
  /** Only this page's own signer knows its drafts and rounds. */
  const signerFor = (draft?: SigningPurpose): Signer => ({
    signStatusRequest: async (id, node, byMs, purpose = draft) =>
      signer()?.signStatusRequest(id, node, byMs, purpose) ?? err('no-answer'),
  })
  const heartbeatOffset = (id: ServiceId) => fleet.get().services.get(id)?.heartbeatOffset
  const watched = (id: ServiceId) =>
    Array.from(fleet.get().nodes.values()).filter(({ serviceId }) => serviceId === id)
  const offset = (id: ServiceId) => fleet.get().services.get(id)?.offset
  return {
    runConnectionTest: async (draft, report) =>
      runConnectionTest(
        {
          clock,
          transport,
          probe,
          signer: signerFor({ draftId: draft.draftId ?? NO_DRAFT }),
          heartbeatOffset,
          watched,
        },
        draft,
        report,
      ),
    findProfile: async (draft, report) =>
      findProfile({ clock, transport, signer: signerFor(), offset }, draft, report),
  }
}
