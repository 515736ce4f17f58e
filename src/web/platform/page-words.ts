import { siteName } from './site.ts'

/**
 * Messages from a page to all other tabs: the keys changed, all vaults are to lock, or all stored data was deleted. Engine and
 * signer receive the last one too.
 */
const WORDS = ['keys-changed', 'lock', 'forgotten'] as const
export type PageWord = (typeof WORDS)[number]

const CHANNEL = siteName('immune-pages')

/** Sends a message to all other tabs of this browser, and to the Workers. */
export function sayToPages(word: PageWord): void {
  const channel = new BroadcastChannel(CHANNEL)
  const post = channel.postMessage.bind(channel)
  post(word)
  channel.close()
}

/** Calls `hear` for messages of other tabs. Returns a function that stops it. */
export function hearPages(hear: (word: PageWord) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const word = WORDS.find((each) => each === data)
    if (word !== undefined) hear(word)
  })
  return () => channel.close()
}
