import { readTextFile, stampOf } from '#node/files.ts'
import { parseKeyFile, type KeyEntry } from './keys-file.ts'
import type { ReferenceOptions } from './options.ts'
import type { StrictPublicKey } from './strict-verify.ts'

export type RegisteredKeys = ReturnType<typeof createRegisteredKeys>

export type RegisteredKeysOptions = Pick<ReferenceOptions, 'keysFile' | 'keysPollMs' | 'enroll' | 'log'>

const POLL_MS = 1_000
/** Enrolment is for a person who tries the demo, not a way to let everybody in. */
const ENROLLED_MAX = 32
const FILE_BYTES_MAX = 4 * 1024 * 1024

export function createRegisteredKeys({
  keysFile: file,
  keysPollMs = POLL_MS,
  enroll = false,
  log = () => undefined,
}: RegisteredKeysOptions) {
  const enrolled = new Map<string, KeyEntry>()
  const given = new Map<string, KeyEntry>()
  let fromFile = new Map<string, KeyEntry>()

  let stamp = ''
  const reload = (): void => {
    if (file === undefined) return
    // Taken before reading, so that a change during the reading is noticed at the next check.
    const now = stampOf(file)
    if (now === stamp) return
    stamp = now
    const text = readTextFile(file, FILE_BYTES_MAX)
    if (!text.ok) {
      // An editor may replace the file in two steps. A file that was removed leaves no keys.
      fromFile = new Map()
      return log(`keys: ${file} ${text.error} No key from it is registered.`)
    }
    const { entries, problems } = parseKeyFile(text.value)
    fromFile = new Map(entries.map((entry) => [entry.key.hex, entry]))
    for (const { line, problem } of problems) log(`keys: ${file} line ${line} skipped: ${problem}`)
    log(`keys: ${entries.length} registered from ${file}`)
  }
  reload()
  // Polling works where native file watching does not: on network folders, and with editors that replace the file.
  const timer = file === undefined ? undefined : setInterval(reload, keysPollMs).unref()

  return {
    find: (keyHex: string): KeyEntry | undefined =>
      fromFile.get(keyHex) ?? given.get(keyHex) ?? enrolled.get(keyHex),
    list: (): readonly KeyEntry[] => Array.from(new Map([...enrolled, ...given, ...fromFile]).values()),
    /** Registers a key after its proof of possession; undefined if enrolment is off or its limit is reached. */
    enroll: (key: StrictPublicKey): KeyEntry | undefined => {
      if (!enroll || enrolled.size >= ENROLLED_MAX) return undefined
      const entry: KeyEntry = { key, nodes: '*', notAfterMs: undefined, note: 'enrolled' }
      enrolled.set(key.hex, entry)
      log(
        `keys: enrolled ${key.hex} for all nodes until this service stops (${enrolled.size} of ${ENROLLED_MAX})`,
      )
      return entry
    },
    register: (entry: KeyEntry): void => {
      given.set(entry.key.hex, entry)
    },
    close: (): void => clearInterval(timer),
  }
}
