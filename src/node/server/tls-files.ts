import { readFileSync } from 'node:fs'
import { stampOf } from '#node/files.ts'
import { createSecureContext } from 'node:tls'
import { err, ok, type Result } from '#base/result.ts'

export type TlsFiles = {
  readonly cert: Buffer
  readonly key: Buffer
  readonly ca?: Buffer | undefined
  readonly crl?: Buffer | undefined
}

export type TlsPaths = {
  readonly certFile: string
  readonly keyFile: string
  readonly caFile?: string | undefined
  readonly crlFile?: string | undefined
}

export type WatchedTls = {
  readonly files: TlsFiles
  /** The files if they changed since the last call. Unusable files are reported once and ignored. */
  readonly changed: () => TlsFiles | undefined
}

export function openTlsFiles(
  paths: TlsPaths | undefined,
  report: (line: string) => void,
): Result<WatchedTls | undefined, readonly string[]> {
  if (paths === undefined) return ok(undefined)
  // Taken before reading, so that a change during the reading is read again.
  let stamps = stampsOf(paths)
  const first = readTls(paths)
  if (!first.ok) return err([`TLS: ${first.error}.`])
  return ok({
    files: first.value,
    changed: () => {
      const now = stampsOf(paths)
      if (now === stamps) return undefined
      stamps = now
      const read = readTls(paths)
      if (read.ok) {
        report(`TLS: ${paths.certFile} was reloaded; new connections use it.`)
        return read.value
      }
      report(`TLS: ${read.error}. The previous certificate stays in use.`)
      return undefined
    },
  })
}

const stampsOf = ({ certFile, keyFile, caFile, crlFile }: TlsPaths): string =>
  [certFile, keyFile, caFile, crlFile].flatMap((file) => (file === undefined ? [] : stampOf(file))).join(', ')

/** Checks the files, for example that the key belongs to the certificate, because the server would throw. */
function readTls({ certFile, keyFile, caFile, crlFile }: TlsPaths): Result<TlsFiles, string> {
  try {
    const files = {
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      ca: caFile === undefined ? undefined : readFileSync(caFile),
      crl: crlFile === undefined ? undefined : readFileSync(crlFile),
    }
    createSecureContext(files)
    return ok(files)
  } catch (error) {
    return err(error instanceof Error ? error.message : 'the files can’t be read')
  }
}
