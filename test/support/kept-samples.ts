import type { Page } from 'playwright-core'
import { decodeSeries } from '#history/codec/series-codec.ts'
import { unseal } from '#history/store/envelope.ts'
import { SEGMENTS, TIERS } from '#history/tiers.ts'
import { nodePacker } from './memory-storage.ts'

/** Records of the history database in base64: blocks of samples with their segment, and recent batches. */
const recordsOf = (page: Page) =>
  page.evaluate(
    async ([segment, tier]) => {
      const records: { readonly part: string; readonly bytes: string }[] = []
      const answer = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((done, failed) => {
          request.addEventListener('success', () => done(request.result))
          request.addEventListener('error', () => failed(request.error))
        })
      const note = (part: string, bytes: Uint8Array): void => {
        let text = ''
        for (const byte of bytes) text += String.fromCodePoint(byte)
        records.push({ part, bytes: btoa(text) })
      }
      for (const { name = '' } of await indexedDB.databases()) {
        if (!/^immune-history-store-\d+$/.test(name)) continue
        const database = await answer(indexedDB.open(name))
        const transaction = database.transaction(['blocks', 'recent'])
        const blocks = transaction.objectStore('blocks')
        const [keys, values, recent] = await Promise.all([
          answer(blocks.getAllKeys()),
          answer<Uint8Array[]>(blocks.getAll()),
          answer<Uint8Array[]>(transaction.objectStore('recent').getAll()),
        ])
        database.close()
        for (const [at, key] of keys.entries()) {
          const bytes = values[at]
          if (
            Array.isArray(key) &&
            key[0] === segment &&
            key[2] === tier &&
            typeof key[1] === 'number' &&
            bytes
          )
            note(`${key[1]}`, bytes)
        }
        for (const bytes of recent) note('recent', bytes)
      }
      return records
    },
    [SEGMENTS.samples.rank, TIERS.samples.rank] as const,
  )

/** The number of polls in the history database, by week of their block, and of the recent batches. */
export async function keptByPart(page: Page): Promise<Readonly<Record<string, number>>> {
  const parts: Record<string, number> = { recent: 0 }
  for (const { part, bytes } of await recordsOf(page)) {
    const plain = await unseal(new Uint8Array(Buffer.from(bytes, 'base64')), nodePacker)
    const rows = plain === undefined ? 0 : decodeSeries(plain)?.series.length
    parts[part] = (parts[part] ?? 0) + (rows ?? 0)
  }
  return parts
}

export const keptSamples = async (page: Page): Promise<number> =>
  Object.values(await keptByPart(page)).reduce((sum, polls) => sum + polls, 0)
