import { valueOf } from '#test/support/value-of.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readKeyHex } from '#reference/keys-file.ts'
import { createRegisteredKeys, type RegisteredKeysOptions } from '#reference/registered-keys.ts'
import { temporaryFile } from '#test/support/temporary-file.ts'
import { testKey } from './client.ts'

const [A, B, C] = [testKey(21), testKey(22), testKey(23)]

const strict = (hex: string) => valueOf(readKeyHex(hex))
const entry = (hex: string, note: string) =>
  ({ key: strict(hex), nodes: '*', notAfterMs: undefined, note }) as const

function ringOf(options: RegisteredKeysOptions = {}) {
  const lines: string[] = []
  const ring = createRegisteredKeys({ keysPollMs: 60_000, log: (line) => lines.push(line), ...options })
  onTestFinished(() => ring.close())
  return { ring, lines }
}

describe('the keys of a service', () => {
  it('come from its file, registration and enrolment, in this order of precedence', () => {
    const { ring } = ringOf({ keysFile: temporaryFile(`${A.hex} note=file\n`), enroll: true })
    ring.enroll(strict(A.hex))
    ring.enroll(strict(B.hex))
    ring.enroll(strict(C.hex))
    ring.register(entry(A.hex, 'given'))
    ring.register(entry(B.hex, 'given'))
    expect([A, B, C].map(({ hex }) => ring.find(hex)?.note)).toEqual(['file', 'given', 'enrolled'])
    expect(ring.list().map(({ key, note }) => [key.hex, note])).toEqual([
      [A.hex, 'file'],
      [B.hex, 'given'],
      [C.hex, 'enrolled'],
    ])
    expect(ring.find(testKey(24).hex)).toBeUndefined()
  })

  it.each([
    [4_194_304, 1],
    [4_194_305, 0],
  ])('are read from a file of at most 4 MiB: of %d bytes, %d', (bytes, count) => {
    const file = temporaryFile(`${A.hex}\n#`.padEnd(bytes, 'x'))
    const { ring, lines } = ringOf({ keysFile: file })
    expect(ring.list()).toHaveLength(count)
    expect(lines).toEqual([
      count === 1
        ? `keys: 1 registered from ${file}`
        : `keys: ${file} is larger than 4194304 bytes. No key from it is registered.`,
    ])
  })
})
