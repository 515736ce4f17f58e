import { siteName } from './site.ts'

/** What concerns the pages of all tabs: keys came or went, or all vaults are to be locked. */
export type PageWord = 'keys-changed' | 'lock'

const CHANNEL = siteName('immune-pages')

/** To the pages of all other tabs of this browser. */
export function sayToPages(word: PageWord): void {
  const channel = new BroadcastChannel(CHANNEL)
  const post = channel.postMessage.bind(channel)
  post(word)
  channel.close()
}

/** Calls when another tab's page says something. Returns the end of it. */
export function hearPages(hear: (word: PageWord) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === 'keys-changed' || data === 'lock') hear(data)
  })
  return () => channel.close()
}
