import { CHANNEL_DEFAULTS, readChannels, type Channels } from '#alarms/channels.ts'

const KEY = 'immune-channels'

/** What this browser tells people by. `isChosen`: somebody saved it here. */
export type LoadedChannels = { readonly channels: Channels; readonly isChosen: boolean }

/** A document that can't be read counts as none: then people are told as by default. */
export function loadChannels(): LoadedChannels {
  try {
    const channels = readChannels(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
    return { channels: channels ?? CHANNEL_DEFAULTS, isChosen: channels !== undefined }
  } catch {
    return { channels: CHANNEL_DEFAULTS, isChosen: false } // blocked site data, or no JSON
  }
}

/** False when the browser would not keep it. */
export function saveChannels(channels: Channels): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(channels))
    return true
  } catch {
    return false
  }
}

/** Calls when another tab saved them. Returns the end of it. */
export function watchChannels(changed: (loaded: LoadedChannels) => void): () => void {
  const listener = (event: StorageEvent): void => {
    if (event.key === KEY) changed(loadChannels())
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}
