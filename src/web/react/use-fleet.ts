import type { AssessedNode, FleetSnapshot, NodeKey } from '#fleet/live.ts'
import type { EngineState } from '#engine/bridge.ts'
import type { Boot, Configuration, KeyState } from './dashboard.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-store.ts'

export const useFleet = <S>(select: (fleet: FleetSnapshot) => S): S => useStore(useDashboard().fleet, select)

export const useNode = (key: NodeKey): AssessedNode | undefined => useFleet((fleet) => fleet.nodes.get(key))

export const useConfiguration = (): Configuration => useStore(useDashboard().configuration, identity)

export const useKeys = (): KeyState => useStore(useDashboard().keys, identity)

export const useEngineState = (): EngineState => useStore(useDashboard().engineState, identity)

export const useBoot = (): Boot => useStore(useDashboard().boot, identity)

const identity = <T>(value: T): T => value
