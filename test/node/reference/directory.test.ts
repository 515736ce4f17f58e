import { createPublicKey, verify } from 'node:crypto'
import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createDirectory } from '#reference/directory.ts'

const NOBODY = `0x${'00'.repeat(32)}`

it('the id of a node is the public key of what it signs with, from the network’s seed', () => {
  const directory = createDirectory('demo', 3)
  const message = Buffer.from('hello')
  const isBy = (id: string, signature: Uint8Array): boolean => {
    const x = Buffer.from(id.slice(2), 'hex').toString('base64url')
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    return verify(null, message, key, signature)
  }
  const signature = directory.sign(2, message)
  expect(directory.idOf(2)).toMatch(/^0x[0-9a-f]{64}$/)
  expect([isBy(directory.idOf(2), signature), isBy(directory.idOf(1), signature)]).toEqual([true, false])
  expect(isBy(directory.idOf(2), directory.sign(2, message))).toBe(true)
  expect(createDirectory('demo', 9).idOf(2)).toBe(directory.idOf(2))
  expect(createDirectory('other', 3).idOf(2)).not.toBe(directory.idOf(2))
})

it('each id is found, and one that is nobody’s is not', async () => {
  const directory = createDirectory('demo', 120)
  const indexes = [0, 49, 50, 119]
  const found = indexes.map((index) => directory.indexOf(directory.idOf(index)))
  expect(await Promise.all(found)).toEqual(indexes)
  expect(await directory.indexOf(NOBODY)).toBeUndefined()
  expect(await directory.indexOf(createDirectory('demo', 121).idOf(120))).toBeUndefined()
})

it('however many ask, ids are computed once, in turn with other work', async () => {
  const directory = createDirectory('demo', 10_000)
  const asked = [directory.indexOf(NOBODY), directory.indexOf(NOBODY)]
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Immediate')).toHaveLength(1)
  directory.close()
  expect(await Promise.all(asked)).toEqual([undefined, undefined])
})

it('nothing is computed any more once all ids are, or it is closed', async () => {
  const ended = async (
    count: number,
    act: (directory: ReturnType<typeof createDirectory>) => Promise<void>,
  ) => {
    const directory = createDirectory('demo', count)
    await act(directory)
    await setImmediate()
    return process.getActiveResourcesInfo().filter((name) => name === 'Immediate').length
  }
  expect(await ended(60, async (all) => void (await all.indexOf(NOBODY)))).toBe(0)
  const closed = await ended(10_000, async (many) => {
    const asked = many.indexOf(NOBODY)
    many.close()
    expect(await asked).toBeUndefined()
  })
  expect(closed).toBe(0)
})
