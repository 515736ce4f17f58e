import { addKey } from './key-file.ts'
import { OptionsError, type ReferenceOptions } from './options.ts'
import { parseReferenceCommand, KEYS_FILE, REFERENCE_PORT } from './arguments.ts'
import { createReferenceService, type ReferenceService } from './service.ts'
import { describeFaults } from './fault-state.ts'
import { DEFAULT_SEED, NODES_MAX } from './network.ts'

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

const referenceHelp =
  (): string => `reference: a service with demo nodes that verifies signatures, and has faults on demand

Usage: reference [FLAGS]
       reference keys add PUBLIC-KEY [--nodes IDS] [--not-after TIME] [--note TEXT] [--keys FILE]

The service
  --port P             port (${REFERENCE_PORT}); 0 picks a free one
  --host H             address to listen on (127.0.0.1)
  --nodes N            how many nodes its network has, 1 to ${NODES_MAX} (12)
  --seed TEXT          another network: other keys, other values (${DEFAULT_SEED})
  --keys FILE          registered keys, one a line; read again when it changes (${KEYS_FILE})
  --profile P          how requests are signed: a preset's id, or a file with a profile (bearer-v1)
  --token-file FILE    the token that clients of a profile with {token} send
  --enroll             registers each new key that signs well, 32 at most; on loopback only
  --origin ORIGIN      an address under which clients know it, beside its own; may be repeated
  --allow-origin O     a page that may read it across origins; may be repeated
                       (http://127.0.0.1:*, http://localhost:*, http://[::1]:*)

Control, on 127.0.0.1 only
  --control-port P     port of the control address (0: a free one)
  --control-token T    its token (random, printed)

Faults
  --fault NAME[=VALUE][@NODE-ID]   a fault from the start; may be repeated
  --chaos RATE                     a random fault for this share of requests, 0 to 1
  --clock-offset=MS                sets the service's clock off

keys add
  PUBLIC-KEY           64 hex digits
  --nodes IDS          node ids with commas between, or "*" (*)
  --not-after TIME     90d, 12h, or a time like 2027-01-01T00:00:00Z (never)
  --note TEXT          what the key is for

Faults by name, with the default of their value
  ${describeFaults().join('\n  ')}
`
