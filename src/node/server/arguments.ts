import { parseArgs, type ParseArgsConfig } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { isPlainHost } from '#record/service.ts'

export const DASHBOARD_PORT = 7420
export const REFERENCE_PORT = 7421
export const LOOPBACK = '127.0.0.1'
/** The reference service's own limit. */
const NODES_MAX = 100_000

export type ServeArguments = {
  readonly host: string
  readonly port: number
  readonly open: boolean
  readonly configFile: string | undefined
  /** Undefined: the user's own data folder. */
  readonly dataFolder: string | undefined
  readonly allowedHosts: readonly string[]
  /** `loopback`: only while nobody else can reach the server. */
  readonly addServices: 'loopback' | 'always' | 'never'
}

export type ReferenceArguments = {
  readonly port: number
  /** How many nodes its network has; undefined leaves it to the service. */
  readonly nodes: number | undefined
  /** Undefined: a random one. */
  readonly controlToken: string | undefined
}

/** What the command line asks for. `start` and `dev` without `reference` is what --no-reference gives. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'reference'; readonly argv: readonly string[] }
  | { readonly kind: 'serve'; readonly serve: ServeArguments }
  | {
      readonly kind: 'start' | 'dev'
      readonly serve: ServeArguments
      readonly reference: ReferenceArguments | undefined
    }

const SERVE_OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  open: { type: 'boolean' },
  config: { type: 'string' },
  data: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  'allow-add': { type: 'boolean' },
  'no-add': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

const START_OPTIONS = {
  ...SERVE_OPTIONS,
  'reference-port': { type: 'string' },
  'reference-control-token': { type: 'string' },
  nodes: { type: 'string' },
  'no-reference': { type: 'boolean' },
} as const satisfies ParseArgsConfig['options']

/** Reads a command line; the error is one line that says what to change. */
export function parseCommand(argv: readonly string[]): Result<Command, string> {
  const [name, ...rest] = argv
  switch (name) {
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      return ok({ kind: 'help' })
    case 'version':
    case '--version':
    case '-v':
      return ok({ kind: 'version' })
    case 'reference':
      return ok({ kind: 'reference', argv: rest })
    case 'serve':
      return serveCommand(rest)
    case 'start':
    case 'dev':
      return startCommand(name, rest)
    default:
      return err(`There is no command "${name}". Commands: start, serve, dev, reference. See --help.`)
  }
}

function serveCommand(argv: readonly string[]): Result<Command, string> {
  const parsed = parseFlags(() => parseArgs({ args: [...argv], options: SERVE_OPTIONS, strict: true }).values)
  if (!parsed.ok) return parsed
  if (parsed.value.help === true) return ok({ kind: 'help' })
  const serve = serveArguments(parsed.value)
  return serve.ok ? ok({ kind: 'serve', serve: serve.value }) : serve
}

function startCommand(kind: 'start' | 'dev', argv: readonly string[]): Result<Command, string> {
  const parsed = parseFlags(() => parseArgs({ args: [...argv], options: START_OPTIONS, strict: true }).values)
  if (!parsed.ok) return parsed
  const { value } = parsed
  if (value.help === true) return ok({ kind: 'help' })
  const serve = serveArguments(value)
  if (!serve.ok) return serve
  const port = portOf('--reference-port', value['reference-port'], REFERENCE_PORT)
  if (!port.ok) return port
  const nodes = value.nodes === undefined ? ok(undefined) : wholeNumber('--nodes', value.nodes, 1, NODES_MAX)
  if (!nodes.ok) return nodes
  const reference = {
    port: port.value,
    nodes: nodes.value,
    controlToken: value['reference-control-token'],
  }
  return ok({ kind, serve: serve.value, reference: value['no-reference'] === true ? undefined : reference })
}

type ServeFlags = {
  readonly port?: string
  readonly host?: string
  readonly open?: boolean
  readonly config?: string
  readonly data?: string
  readonly 'allow-host'?: readonly string[]
  readonly 'allow-add'?: boolean
  readonly 'no-add'?: boolean
}

function serveArguments(flags: ServeFlags): Result<ServeArguments, string> {
  const port = portOf('--port', flags.port, DASHBOARD_PORT)
  if (!port.ok) return port
  for (const [flag, text] of [
    ['--host', flags.host],
    ['--config', flags.config],
    ['--data', flags.data],
  ] as const)
    if (text === '') return err(`${flag} needs a value.`)
  if (flags['allow-add'] === true && flags['no-add'] === true)
    return err('--allow-add and --no-add exclude each other. Give one of them.')
  if (flags.host !== undefined && !isPlainHost(flags.host))
    return err('--host takes a host name or an address without scheme and port, such as 127.0.0.1.')
  if (flags['allow-host']?.some((name) => !/^[a-z0-9.-]+$/i.test(name)) === true)
    return err('--allow-host takes a host name without scheme and port, such as wall.example.')
  return ok({
    host: (flags.host ?? LOOPBACK).replace(/^\[(.*)\]$/, '$1'),
    port: port.value,
    open: flags.open === true,
    configFile: flags.config,
    dataFolder: flags.data,
    allowedHosts: flags['allow-host'] ?? [],
    addServices: flags['no-add'] === true ? 'never' : flags['allow-add'] === true ? 'always' : 'loopback',
  })
}

const portOf = (flag: string, text: string | undefined, otherwise: number): Result<number, string> =>
  text === undefined ? ok(otherwise) : wholeNumber(flag, text, 0, 65_535)

function wholeNumber(flag: string, text: string, min: number, max: number): Result<number, string> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return ok(value)
  return err(`${flag} takes a whole number from ${min} to ${max}.`)
}

/** Node reports a wrong flag by throwing; its first sentence is the part that helps. */
function parseFlags<T>(parse: () => T): Result<T, string> {
  try {
    return ok(parse())
  } catch (error) {
    const sentence = error instanceof Error ? error.message.split(/\. |\n/)[0] : 'Unreadable flags'
    return err(`${sentence}. See --help.`)
  }
}
