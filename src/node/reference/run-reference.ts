import { runParsed, type Output, listenProblem } from '#node/command-line.ts'
import type { FaultTable } from './faults.ts'
import { addKey } from './keys-file.ts'
import { OptionsError, type ReferenceOptions } from './options.ts'
import { KEYS_COMMAND, referenceCommand } from './reference-options.ts'
import { createReferenceService, type ReferenceService } from './reference-service.ts'

export type ReferenceIo = Output & {
  readonly untilStopped: () => Promise<void>
  readonly nowMs: () => number
  readonly faultTable: FaultTable
}

export const runReference = (argv: readonly string[], io: ReferenceIo): Promise<number> =>
  argv[0] === 'keys'
    ? runParsed(KEYS_COMMAND, argv.slice(1), io, (add) => {
        const added = addKey(add, io.nowMs())
        if (added.ok) io.out(`Added to ${add.file}:\n${added.value}`)
        else io.err(added.error)
        return added.ok ? 0 : 1
      })
    : runParsed(referenceCommand(io.faultTable), argv, io, (options) => runService(options, io))

async function runService(options: ReferenceOptions, io: ReferenceIo): Promise<number> {
  const stopped = io.untilStopped()
  try {
    await serve(createReferenceService({ ...options, log: io.err }), stopped, io.out)
    return 0
  } catch (error) {
    const line = startProblem(error, options)
    if (line === undefined) throw error
    io.err(line)
    return 1
  }
}

async function serve(
  service: ReferenceService,
  stopped: Promise<void>,
  out: (line: string) => void,
): Promise<void> {
  try {
    const { baseUrl, controlUrl, controlToken } = await service.listen()
    out('Reference service (demo nodes):')
    out(`${baseUrl}/`)
    out('Reference control:')
    out(`${controlUrl}/`)
    out('Control token:')
    out(controlToken)
    await stopped
  } finally {
    await service.close()
  }
}

/** One line for a failed start that the user can correct; undefined for a defect. */
export const startProblem = (
  error: unknown,
  { host = '127.0.0.1', port = 0 }: ReferenceOptions,
  flag = '--port or --control-port',
): string | undefined =>
  error instanceof OptionsError ? error.message : listenProblem(error, { host, port }, flag)
