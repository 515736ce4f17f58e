import { CHANNEL_DEFAULTS, readChannels, type Channels } from '#alarms/channels.ts'
import { readLocalJson, watchLocal, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

const KEY = siteName('immune-channels')

/** What this browser notifies people by. `isChosen`: somebody saved it here. */
export type LoadedChannels = { readonly channels: Channels; readonly isChosen: boolean }

/** A document that can't be read counts as none. */
export function loadChannels(): LoadedChannels {
  const channels = readChannels(readLocalJson(KEY))
  return { channels: channels ?? CHANNEL_DEFAULTS, isChosen: channels !== undefined }
}

/** False when the browser would not keep it. */
export const saveChannels = (channels: Channels): boolean => writeLocal(KEY, JSON.stringify(channels))

/** Calls when another tab saved them. Returns the end of it. */
export const watchChannels = (changed: (loaded: LoadedChannels) => void): (() => void) =>
  watchLocal(KEY, () => changed(loadChannels()))
