import fs, { constants, createWriteStream, type WriteStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { err, ok, type Result } from '#base/result.ts'
import { splitTarget } from '#node/request-target.ts'

type Noted = { readonly address: string; readonly user: string | undefined }

export type AccessLog = {
  /** `user`: undefined if nobody is signed in. */
  readonly note: (request: IncomingMessage, response: ServerResponse, visitor: Noted) => void
  /** Starts a new file after the old one was moved away. */
  readonly reopen: () => void
  readonly close: () => void
}

/** Maximum data waiting in memory for a slow disk. */
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
    // Reported once per stream, which is not written to afterwards. Requests may be lost before the error is reported.
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

/** Readable by the group, as is usual for logs; it contains no secrets. Does not follow a symbolic link. */
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

/** Never logs a query, a header or a body, because more people read logs than may see these. */
const noteBy =
  (write: (line: string) => void, now: () => Date): AccessLog['note'] =>
  (request, response, { address, user }) => {
    const began = now()
    const { method, url, socket } = request
    const sentBefore = socket.bytesWritten
    response.once('close', () => {
      const ended = now()
      write(
        JSON.stringify({
          time: began.toISOString(),
          address,
          ...(user !== undefined && { user }),
          method,
          path: splitTarget(url).path.slice(0, PATH_CHARS_MAX),
          // 0: the answer was not completed, because the browser left or was too slow.
          status: response.writableFinished ? response.statusCode : 0,
          bytes: socket.bytesWritten - sentBefore,
          ms: ended.getTime() - began.getTime(),
        }),
      )
    })
  }
