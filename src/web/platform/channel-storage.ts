import { CHANNEL_DEFAULTS, readChannels, type Channels } from '#alarms/channels.ts'
import { readLocalJson, watchLocal, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-channels')

/** Notification channels of this browser. `isChosen`: an operator saved them here. */
export type LoadedChannels = { readonly channels: Channels; readonly isChosen: boolean }

/** An unreadable document counts as missing. */
export function loadChannels(): LoadedChannels {
  const channels = readChannels(readLocalJson(KEY))
  return { channels: channels ?? CHANNEL_DEFAULTS, isChosen: channels !== undefined }
}

/** Returns false if the browser could not store it. */
export const saveChannels = (channels: Channels): boolean => writeLocal(KEY, JSON.stringify(channels))

/** Calls `changed` when another tab saves channels. Returns a function that stops it. */
export const watchChannels = (changed: (loaded: LoadedChannels) => void): (() => void) =>
  watchLocal(KEY, () => changed(loadChannels()))
