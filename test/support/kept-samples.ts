import type { Page } from 'playwright-core'

/** Polls that the history's database holds: by the week of their blocks, and those of recent batches. */
export const keptByPart = (page: Page): Promise<Readonly<Record<string, number>>> =>
  page.evaluate(async () => {
    const parts: Record<string, number> = { recent: 0 }
    const answer = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((done, failed) => {
        request.addEventListener('success', () => done(request.result))
        request.addEventListener('error', () => failed(request.error))
      })
    for (const { name = '' } of await indexedDB.databases()) {
      if (!/^immune-history-v2-\d+$/.test(name)) continue
      const database = await answer(indexedDB.open(name))
      const transaction = database.transaction(['meta', 'recent'])
      const meta = transaction.objectStore('meta')
      const [keys, values, recent] = await Promise.all([
        answer(meta.getAllKeys()),
        answer<{ readonly polls?: number }[]>(meta.getAll()),
        answer<Uint8Array[]>(transaction.objectStore('recent').getAll()),
      ])
      database.close()
      for (const [at, key] of keys.entries())
        if (Array.isArray(key) && key[0] === 'segment' && key[1] === 0 && typeof key[2] === 'number')
          parts[key[2]] = (parts[key[2]] ?? 0) + (values[at]?.polls ?? 0)
      for (const batch of recent) {
        // Behind five bytes of the envelope, the length of what a batch says of itself, and that.
        const end = 9 + new DataView(batch.buffer, batch.byteOffset).getUint32(5)
        const head = JSON.parse(new TextDecoder().decode(batch.subarray(9, end))) as {
          readonly polls: number
        }
        parts['recent'] = (parts['recent'] ?? 0) + head.polls
      }
    }
    return parts
  })

export const keptSamples = async (page: Page): Promise<number> =>
  Object.values(await keptByPart(page)).reduce((sum, polls) => sum + polls, 0)
