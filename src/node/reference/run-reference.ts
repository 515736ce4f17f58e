import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import { fail, runParsed, type Output, listenProblem } from '#node/command-line.ts'
import type { FaultTable } from './faults.ts'
import { addKey } from './keys-file.ts'
import { OptionsError, type ReferenceOptions } from './options.ts'
import { KEYS_COMMAND, referenceCommand } from './reference-options.ts'
import {
  createReferenceService,
  type ReferenceAddresses,
  type ReferenceService,
} from './reference-service.ts'

type ReferenceIo = Output & {
  readonly untilStopped: () => Promise<void>
  readonly clock: Pick<Clock, 'wallMs'>
  readonly faultTable: FaultTable
}

export const runReference = (argv: readonly string[], io: ReferenceIo): Promise<number> =>
  argv[0] === 'keys'
    ? runParsed(KEYS_COMMAND, argv.slice(1), io, (add) => {
        const added = addKey(add, io.clock.wallMs())
        if (added.ok) io.out(`Added to ${add.file}:\n${added.value}`)
        else io.err(added.error)
        return added.ok ? 0 : 1
      })
    : runParsed(referenceCommand(io.faultTable), argv, io, (options) => runService(options, io))

async function runService(options: ReferenceOptions, io: ReferenceIo): Promise<number> {
  const stopped = io.untilStopped()
  const opened = await openReference({ ...options, log: io.err }, '--port or --control-port')
  if (!opened.ok) return fail(io, [opened.error])
  const { baseUrl, controlUrl, controlToken, close } = opened.value
  io.out('Reference service (demo nodes):')
  io.out(`${baseUrl}/`)
  io.out('Reference control:')
  io.out(`${controlUrl}/`)
  io.out('Control token:')
  io.out(controlToken)
  await stopped
  await close()
  return 0
}

/**
 * A service that listens. The error is one line for a mistake that the user can correct, with `flag` for another port; a defect
 * is thrown.
 */
export async function openReference(
  options: ReferenceOptions,
  flag: string,
): Promise<Result<ReferenceService & ReferenceAddresses, string>> {
  let service: ReferenceService | undefined
  try {
    service = createReferenceService(options)
    const addresses = await service.listen()
    return ok({ ...service, ...addresses })
  } catch (error) {
    await service?.close()
    const { host = '127.0.0.1', port = 0 } = options
    const line = error instanceof OptionsError ? error.message : listenProblem(error, { host, port }, flag)
    if (line === undefined) throw error // A defect is thrown, because its stack says where it is.
    return err(line)
  }
}
