import { ownMember } from '#base/own-member.ts'

export type CallPort = Pick<MessagePort, 'postMessage' | 'addEventListener' | 'start' | 'close'>

/** Reads an argument; throws if it has the wrong type. */
export type Reader<T> = (value: unknown) => T

/** A reader for every argument of every call, so that the server side neither lacks a call nor offers an extra one. */
export type ReadersOf<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...args: infer Args) => unknown
    ? Required<{ readonly [At in keyof Args]: Reader<Args[At]> }>
    : never
}

/** Maximum number of pending calls for each port. An engine needs a few; a flood is refused. */
export const CALLS_MAX = 256

const ID_CHARS_MAX = 100
const ARGUMENTS_MAX = 5

/**
 * Answers calls in comlink's message format, so that the other end is an ordinary comlink proxy. Comlink's `expose` would also
 * allow reads, writes and constructor calls along any path, and send error texts and stacks. Here a name that is not in
 * `readers` does not exist, and a failure carries no details.
 */
export function serveCalls<Api extends object>(port: CallPort, readers: ReadersOf<Api>, api: Api): void
export function serveCalls(
  port: CallPort,
  readers: Readonly<Record<string, readonly Reader<unknown>[]>>,
  api: object,
): void {
  let underWay = 0

  const answer = async (id: string, call: () => Promise<unknown>): Promise<void> => {
    underWay++
    try {
      port.postMessage({ id, type: 'RAW', value: await call() })
    } catch {
      // After a defect here, the answer contains no details, because they might be secret.
      port.postMessage(refusal(id))
    } finally {
      underWay--
    }
  }

  port.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const id = idOf(data)
    if (id === undefined) return
    if (ownMember(data, 'type') === 'RELEASE') {
      port.postMessage({ id, type: 'RAW', value: undefined })
      port.close()
      return
    }
    const name = nameOf(data)
    const args = argumentsOf(data)
    const read = name !== undefined && Object.hasOwn(readers, name) ? readers[name] : undefined
    if (name === undefined || read === undefined || args === undefined || underWay >= CALLS_MAX)
      port.postMessage(refusal(id))
    else
      void answer(id, async () =>
        Reflect.apply(
          Reflect.get(api, name),
          undefined,
          read.map((one, at) => one(args[at])),
        ),
      )
  })
  port.start()
}

/** The format of an exception in comlink; the other end's promise rejects with it. */
const refusal = (id: string) => ({
  id,
  type: 'HANDLER',
  name: 'throw',
  value: { isError: true, value: { name: 'Error', message: 'refused by the signer', stack: '' } },
})

function idOf(data: unknown): string | undefined {
  const id = ownMember(data, 'id')
  return typeof id === 'string' && id !== '' && id.length <= ID_CHARS_MAX ? id : undefined
}

/** The name of a plain call, whose path has a single step. */
function nameOf(data: unknown): string | undefined {
  const path = ownMember(data, 'path')
  if (ownMember(data, 'type') !== 'APPLY' || !Array.isArray(path) || path.length !== 1) return undefined
  const name: unknown = path[0]
  return typeof name === 'string' ? name : undefined
}

/** Accepts plain values only, because comlink's other kinds would make the signer call back into the page. */
function argumentsOf(data: unknown): readonly unknown[] | undefined {
  const list = ownMember(data, 'argumentList')
  if (!Array.isArray(list) || list.length > ARGUMENTS_MAX) return undefined
  const isPlain = list.every((item: unknown) => ownMember(item, 'type') === 'RAW')
  return isPlain ? list.map((item: unknown) => ownMember(item, 'value')) : undefined
}
