import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bytes } from '#base/bytes.ts'

type KeyFile = {
  readonly file: string
  readonly passphrase?: string
  readonly publicKeyHex?: string
  readonly signatureHex?: string
  readonly expect?: string
  /** For a variant: what the file contains instead of an Ed25519 key. */
  readonly found?: string
  /** For a variant: why the reader rejects it. */
  readonly reason?: string
}

type KeyFiles = {
  readonly manifest: { readonly message: string; readonly keys: readonly KeyFile[] }
  readonly files: Readonly<Record<string, string>>
}

const load = (name: string): KeyFiles =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../vectors', name), 'utf8'))

const vectors = load('keyfiles.json')
const variants = load('keyfiles-variants.json')

/** Real key files from many tools. These test keys are public; never use them. */
export const KEY_FILES = vectors.manifest.keys

/** Files that openssl and ssh-keygen write with other options and for other key types. */
export const KEY_FILE_VARIANTS = variants.manifest.keys

/** The message that all signatures of the key files sign. */
export const KEY_FILES_MESSAGE: Bytes = new TextEncoder().encode(vectors.manifest.message)

/** Keys as text, as tools print them and as people paste them. */
export const PASTED_KEYS: readonly {
  readonly file: string
  readonly made: string
  readonly text: string
  readonly publicKeyHex: string
}[] = JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/keyfiles-pasted.json'), 'utf8')).files

/** Returns a new copy each time, because a reader of a key may zero it. */
export function keyFileBytes(file: string): Bytes {
  const hex = vectors.files[file] ?? variants.files[file]
  if (hex === undefined) throw new Error(`no such key file: ${file}`)
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

export const KEY_FILES_PASSPHRASE = 'correct-horse'
