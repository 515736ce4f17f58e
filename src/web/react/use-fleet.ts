import type { AssessedNode, NodeKey, ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { EngineState } from '#engine/bridge.ts'
import { type Boot, type Configuration, type KeyState, useDashboard } from './dashboard.ts'
import type { Notifier } from './notifier.ts'
import { useSyncExternalStore } from 'react'
import type { Store } from '#base/store.ts'
import type { AlarmsView } from '#alarms/alarm.ts'

export const useFleet = <S>(select: (fleet: FleetSnapshot) => S): S => useStore(useDashboard().fleet, select)

export const useNode = (key: NodeKey): AssessedNode | undefined => useFleet((fleet) => fleet.nodes.get(key))

/** A node's service without its clock, which changes with each answer. */
export function useServiceOf(
  node: Pick<AssessedNode, 'serviceId'> | undefined,
): Pick<ServiceLive, 'service' | 'rules'> | undefined {
  const service = useFleet(({ services }) => node && services.get(node.serviceId)?.service)
  const rules = useFleet(({ services }) => node && services.get(node.serviceId)?.rules)
  return service && rules && { service, rules }
}

export const useConfiguration = (): Configuration => useStore(useDashboard().configuration, identity)

export const useKeys = (): KeyState => useStore(useDashboard().keys, identity)

export const useEngineState = (): EngineState => useStore(useDashboard().engineState, identity)

export const useBoot = (): Boot => useStore(useDashboard().boot, identity)

const identity = <T>(value: T): T => value

/** Re-renders only when the selected value changes identity. */
export function useStore<T, S = T>(store: Store<T>, select: (value: T) => S): S {
  const get = (): S => select(store.get())
  return useSyncExternalStore(store.subscribe, get, get)
}

/**
 * Monotonic time in ms, updated once a second, for texts such as "12 s ago". All users share one timer and update in the same
 * frame; it stops while the page is hidden.
 */
export const useNow = (): number => useStore(useDashboard().seconds, (nowMs) => nowMs)

/** `select` receives undefined before the first evaluation. */
export const useAlarms = <S>(select: (view: AlarmsView | undefined) => S): S =>
  useStore(useDashboard().alarms, select)

/** Undefined until the notification code is loaded. */
export const useNotifier = (): Notifier | undefined => useStore(useDashboard().notifier, (now) => now)
