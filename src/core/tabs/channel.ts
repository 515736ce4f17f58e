/** A channel that every tab of this browser and origin can open by its name. What comes in was sent by any of them. */
export type TabChannel = {
  readonly post: (message: unknown) => void
  readonly close: () => void
}

export type OpenTabChannel = (name: string, hear: (data: unknown) => void) => TabChannel

/** Of all tabs. */
export const ALL_TABS = 'immune-tabs'

/** Of one follower. */
export const channelOf = (tab: string): string => `${ALL_TABS}-${tab}`
