import { addKey } from './keys-command.ts'
import { OptionsError, type ReferenceOptions } from './options.ts'
import { parseReferenceCommand } from './arguments.ts'
import { referenceHelp } from './help.ts'
import { createReferenceService, type ReferenceService } from './service.ts'

/** What the command needs of the world; the composition root gives it. */
export type ReferenceIo = {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Resolves when the person ends the program. */
  readonly untilStopped: () => Promise<void>
  readonly nowMs: () => number
}

/** Runs `reference …` to its end; resolves with the exit code. */
export async function runReference(argv: readonly string[], io: ReferenceIo): Promise<number> {
  const command = parseReferenceCommand(argv)
  if (!command.ok) {
    io.err(command.error)
    return 1
  }
  switch (command.value.kind) {
    case 'help':
      io.out(referenceHelp())
      return 0
    case 'keys-add': {
      const added = addKey(command.value.add, io.nowMs())
      if (added.ok) io.out(`Added to ${command.value.add.file}:\n${added.value}`)
      else io.err(added.error)
      return added.ok ? 0 : 1
    }
    case 'run':
      return runService(command.value.options, io)
  }
}

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

/** One line for a start that failed for a reason that a person can change; undefined for a bug. */
export function startProblem(
  error: unknown,
  { host = '127.0.0.1', port = 0 }: ReferenceOptions,
): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} for the reference service, or its control port, is in use. Choose another, where 0 picks a free one.`
    case 'EACCES':
      return `Port ${port} may not be used by this user. Choose one above 1023.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This computer has no address "${host}". Choose another with --host H.`
    default:
      return error instanceof OptionsError ? error.message : undefined
  }
}
