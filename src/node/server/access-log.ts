import fs, { constants, createWriteStream, type WriteStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { err, ok, type Result } from '#base/result.ts'

/** The client: its address, and its name where it is signed in. */
export type Noted = { readonly address: string; readonly user: string | undefined }

export type AccessLog = {
  /** `user`: who was let in, where that is known. */
  readonly note: (request: IncomingMessage, response: ServerResponse, visitor: Noted) => void
  /** Begins a new file, after the one before was put aside. */
  readonly reopen: () => void
  readonly close: () => void
}

/** More waits in memory for no disk. */
const WAITING_MAX_BYTES = 1_048_576
const PATH_CHARS_MAX = 500

type LogPorts = {
  readonly target: string
  readonly out: (line: string) => void
  readonly report: (line: string) => void
  readonly now: () => Date
}

export async function openAccessLog({
  target,
  out,
  report,
  now,
}: LogPorts): Promise<Result<AccessLog, string>> {
  if (target === '-') return ok({ note: noteBy(out, now), reopen: () => undefined, close: () => undefined })
  const first = await open(target)
  if (!first.ok) return first
  let stream = first.value
  let lost = 0
  const watch = (): void => {
    // Once for each stream, which is not written to after it; requests may have been lost before it is reported.
    stream.on('error', (error) => {
      lost += 1
      report(`${target}: can’t be written: ${error.message}. Requests are answered but not logged.`)
    })
  }
  watch()
  const write = (line: string): void => {
    if (stream.destroyed || stream.writableLength > WAITING_MAX_BYTES) {
      lost += 1
      return
    }
    if (lost > 0) stream.write(`${JSON.stringify({ time: now().toISOString(), lost })}\n`)
    lost = 0
    stream.write(`${line}\n`)
  }
  return ok({
    note: noteBy(write, now),
    reopen: () => {
      stream.end()
      stream = streamTo(target)
      watch()
    },
    close: () => void stream.end(),
  })
}

/** Windows has no O_NOFOLLOW. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0)

/** Readable by the group too, as logs are; it has no secrets. A link is not followed. */
const streamTo = (path: string): WriteStream =>
  createWriteStream(path, {
    mode: 0o640,
    fs: {
      ...fs,
      open: (file: string, _flags: unknown, mode: number, done: Opened) => fs.open(file, APPEND, mode, done),
    },
  })

type Opened = (error: NodeJS.ErrnoException | null, file: number) => void

const open = (path: string): Promise<Result<WriteStream, string>> =>
  new Promise((resolve) => {
    const stream = streamTo(path)
    stream.once('open', () => resolve(ok(stream)))
    stream.once('error', (error) => resolve(err(`--access-log ${path}: can’t be written: ${error.message}.`)))
  })

/** Never logs a query, a header or a body: more people read logs than may see these. */
const noteBy =
  (write: (line: string) => void, now: () => Date): AccessLog['note'] =>
  (request, response, { address, user }) => {
    const began = now()
    const { method, url = '', socket } = request
    const sentBefore = socket.bytesWritten
    response.once('close', () => {
      const ended = now()
      write(
        JSON.stringify({
          time: began.toISOString(),
          address,
          ...(user !== undefined && { user }),
          method,
          path: url.split('?')[0]?.slice(0, PATH_CHARS_MAX),
          // What was not answered whole: the browser went away, or was too slow.
          status: response.writableFinished ? response.statusCode : 0,
          bytes: socket.bytesWritten - sentBefore,
          ms: ended.getTime() - began.getTime(),
        }),
      )
    })
  }
