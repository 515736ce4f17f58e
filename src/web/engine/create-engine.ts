import type { Clock } from '#base/clock.ts'
import { err } from '#base/result.ts'
import type { History } from '#history/history.ts'
import { climbLadder } from '#monitor/climb-ladder.ts'
import { findProfile } from '#monitor/find-profile.ts'
import { createMonitor } from '#monitor/monitor.ts'
import type { Signer, Transport, TrySigner } from '#protocol/ports.ts'
import type { EngineApi } from './bridge.ts'
import { relayUpdates } from './update-relay.ts'

export type EnginePorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly history: History
  /** The signer at the other end of a port. */
  readonly openSigner: (port: MessagePort) => Signer & Partial<TrySigner>
}

/** The engine behind the page's API. `dispose` ends every request and timer; a Worker that is terminated need not call it. */
export function createEngine(ports: EnginePorts): EngineApi & { readonly dispose: () => void } {
  const { clock, transport, history, openSigner } = ports
  let connected: (Signer & Partial<TrySigner>) | undefined
  const signer: Signer = {
    signStatusRequest: async (serviceId, nodeId) =>
      connected === undefined ? err('no-answer') : connected.signStatusRequest(serviceId, nodeId),
  }
  const signTry: TrySigner['signTry'] = async (serviceId, nodeId, tryId) =>
    connected?.signTry === undefined ? err('no-answer') : connected.signTry(serviceId, nodeId, tryId)
  const monitor = createMonitor({ clock, transport, signer, history })
  let endRelay = (): void => undefined

  return {
    connectSigner: async (port) => {
      connected = openSigner(port)
      monitor.keyChanged()
    },
    configure: async (config) => monitor.configure(config),
    subscribe: async (listener) => {
      endRelay()
      endRelay = relayUpdates(monitor, listener)
    },
    pollNow: async (node) => monitor.pollNow(node),
    keyChanged: async () => monitor.keyChanged(),
    readLanes: async (query) => history.readLanes(query),
    lastExchange: async (node) => monitor.lastExchange(node),
    climbLadder: async (draft, report) => climbLadder({ clock, transport, signer }, draft, report),
    findProfile: async (draft, report) => findProfile({ clock, transport, signTry }, draft, report),
    setOffline: async (offline) => monitor.setOffline(offline),
    dispose: () => {
      endRelay()
      monitor.dispose()
    },
  }
}
