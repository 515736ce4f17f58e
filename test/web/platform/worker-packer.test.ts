import { expect, it } from 'vitest'
import { browserPacker } from '#platform/worker-packer.ts'

const BYTES = new Uint8Array(100_000).map((_, at) => at % 251)

it('packed data is smaller, and unpacks unchanged', async () => {
  const packed = await browserPacker.deflate(BYTES)
  expect(packed.length).toBeLessThan(BYTES.length / 10)
  expect(await browserPacker.inflate(packed, BYTES.length)).toEqual(BYTES)
})

it('data that is damaged or over the limit does not unpack', async () => {
  const packed = await browserPacker.deflate(BYTES)
  expect(await browserPacker.inflate(packed, BYTES.length - 1)).toBeUndefined()
  expect(await browserPacker.inflate(packed.subarray(0, -1), BYTES.length)).toBeUndefined()
  expect(await browserPacker.inflate(Uint8Array.of(255, 255, 255), 1_000)).toBeUndefined()
})
