import { constants, createWriteStream, openSync, type WriteStream } from 'node:fs'
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

/** Windows has no O_NOFOLLOW. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0)
/** The group may read it, as is usual for logs; it contains no secrets. */
const MODE = 0o640

export function openAccessLog({ target, out, report, now }: LogPorts): Result<AccessLog, string> {
  if (target === '-') return ok({ note: noteBy(out, now), reopen: () => undefined, close: () => undefined })
  let lost = 0
  let stream: WriteStream | undefined
  /** Opened here, because a stream would follow a symbolic link. */
  const open = (): string | undefined => {
    stream = undefined
    try {
      stream = createWriteStream(target, { fd: openSync(target, APPEND, MODE) })
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown error'
    }
    stream.on('error', (error) => {
      // Requests may be lost before the error is reported. It is reported once, because nothing more is written.
      lost += 1
      report(unwritable(error.message))
    })
    return undefined
  }
  const unwritable = (why: string): string =>
    `${target}: can’t be written: ${why}. Requests are answered but not logged.`
  const write = (line: string): void => {
    if (stream === undefined || stream.destroyed || stream.writableLength > WAITING_MAX_BYTES) {
      lost += 1
      return
    }
    if (lost > 0) stream.write(`${JSON.stringify({ time: now().toISOString(), lost })}\n`)
    lost = 0
    stream.write(`${line}\n`)
  }
  const problem = open()
  if (problem !== undefined) return err(`--access-log ${target}: can’t be written: ${problem}.`)
  return ok({
    note: noteBy(write, now),
    reopen: () => {
      stream?.end()
      const why = open()
      if (why !== undefined) report(unwritable(why))
    },
    close: () => void stream?.end(),
  })
}

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
