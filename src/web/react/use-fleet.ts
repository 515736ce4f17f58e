import type { FleetSnapshot, NodeKey, NodeLive } from '#fleet/live.ts'
import type { TabState } from '#tabs/tabs.ts'
import type { Boot, Configuration, KeyState } from './dashboard.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-store.ts'

export const useFleet = <S>(select: (fleet: FleetSnapshot) => S): S => useStore(useDashboard().fleet, select)

export const useNode = (key: NodeKey): NodeLive | undefined => useFleet((fleet) => fleet.nodes.get(key))

export const useConfiguration = (): Configuration => useStore(useDashboard().configuration, identity)

export const useKeys = (): KeyState => useStore(useDashboard().keys, identity)

export const useTab = (): TabState | undefined => useStore(useDashboard().tab, identity)

export const useBoot = (): Boot => useStore(useDashboard().boot, identity)

const identity = <T>(value: T): T => value
