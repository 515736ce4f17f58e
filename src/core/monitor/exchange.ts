import type { NodeKey } from '#fleet/live.ts'
import type { SentPoll } from './poll.ts'

/** One node's last exchange, for the raw view. Never contains a key. */
export type Exchange = Pick<SentPoll, 'startedWallMs' | 'url' | 'requestHeaders'> & {
  readonly status: number | undefined
  readonly contentType: string | undefined
  readonly date: string | undefined
  /** The body as received, cut at 16,384 characters. */
  readonly body: string
  readonly bodyCut: boolean
}

const BODY_CHARS_MAX = 16_384
/** For the whole fleet. A record has about 400 characters, so this is far more than 20,000 nodes need. */
const CHARS_MAX = 32_000_000

/** Takes only what the raw view shows, so that the log does not keep whole bodies and records alive. */
export const exchangeOf = ({ startedWallMs, url, requestHeaders, reply }: SentPoll): Exchange => ({
  startedWallMs,
  url,
  requestHeaders,
  status: reply?.status,
  contentType: reply?.contentType,
  date: reply?.date,
  body: reply?.body.slice(0, BODY_CHARS_MAX) ?? '',
  bodyCut: (reply?.body.length ?? 0) > BODY_CHARS_MAX,
})

/** Stores the last exchange of each node. Above `CHARS_MAX` it drops the oldest exchanges first. */
export function createExchangeLog() {
  const exchanges = new Map<NodeKey, Exchange>()
  let chars = 0

  const forget = (key: NodeKey): void => {
    chars -= exchanges.get(key)?.body.length ?? 0
    exchanges.delete(key)
  }

  return {
    keep: (key: NodeKey, exchange: Exchange): void => {
      forget(key)
      exchanges.set(key, exchange)
      chars += exchange.body.length
      for (const oldest of exchanges.keys()) {
        if (chars <= CHARS_MAX) return
        forget(oldest)
      }
    },
    get: (key: NodeKey): Exchange | undefined => exchanges.get(key),
    forget,
  }
}
