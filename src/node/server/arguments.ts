import { parseArgs, type ParseArgsConfig } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { isPlainHost } from '#record/service.ts'
import type { GateOptions } from './access.ts'
import { readAddressList } from './address-guard.ts'
import { isAccountName } from './password-file.ts'
import { isLoopbackHost } from './request-guard.ts'
import type { TlsPaths } from './tls-files.ts'

export const DASHBOARD_PORT = 7420
export const REFERENCE_PORT = 7421
export const LOOPBACK = '127.0.0.1'
/** Requests a second of one visitor: twice what 5,000 nodes every 10 s need. */
export const RATE_LIMIT = 1_000
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
  readonly addServices: GateOptions['addServices']
  /** Undefined: none was asked for. */
  readonly access: AccessArguments | undefined
  /** Requests a second of one visitor. */
  readonly rateLimit: number
  /** A file, or `-` for standard output; undefined: none. */
  readonly accessLog: string | undefined
  /** Servers in front, whose headers are believed. */
  readonly trustFrom: readonly string[]
  /** Where keys are read from with which the server signs status requests itself, see `readSecretFrom`. */
  readonly signKeys: readonly string[]
  readonly passphrase: string | undefined
  readonly tls: TlsPaths | undefined
}

/** The access control that was asked for. */
type AccessArguments =
  | { readonly kind: 'public' | 'certificate' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'password'; readonly file: string; readonly lifeMs: number }

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
  | { readonly kind: 'reference' | 'collect' | 'probe'; readonly argv: readonly string[] }
  | { readonly kind: 'hash-password'; readonly name: string }
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
  'password-file': { type: 'string' },
  'session-hours': { type: 'string' },
  'trust-header': { type: 'string' },
  'trust-from': { type: 'string', multiple: true, default: [] },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'tls-client-ca': { type: 'string' },
  'tls-client-crl': { type: 'string' },
  public: { type: 'boolean' },
  'rate-limit': { type: 'string' },
  'access-log': { type: 'string' },
  'sign-key': { type: 'string', multiple: true },
  passphrase: { type: 'string' },
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
    case 'collect':
    case 'probe':
      return ok({ kind: name, argv: rest })
    case 'serve':
      return serveCommand(rest)
    case 'start':
    case 'dev':
      return startCommand(name, rest)
    case 'hash-password':
      return rest.length === 1 && rest[0] !== undefined && isAccountName(rest[0])
        ? ok({ kind: 'hash-password', name: rest[0] })
        : err('Wants: hash-password NAME, with the password on standard input.')
    default:
      return err(
        `There is no command "${name}". Commands: start, serve, collect, probe, dev, reference, hash-password. See --help.`,
      )
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
  if (kind === 'dev' && (isReachedByOthers(serve.value) || serve.value.access !== undefined))
    return err('dev is for this computer only. Others get the built dashboard: serve or start.')
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

/** Whether anybody but this computer can be meant to use the server: a server in front has others behind it. */
export const isReachedByOthers = ({
  host,
  allowedHosts,
  trustFrom,
}: Pick<ServeArguments, 'host' | 'allowedHosts' | 'trustFrom'>): boolean =>
  !isLoopbackHost(host) || allowedHosts.length > 0 || trustFrom.length > 0

type ServeFlags = {
  readonly port?: string
  readonly host?: string
  readonly open?: boolean
  readonly config?: string
  readonly data?: string
  readonly 'allow-host'?: readonly string[]
  readonly 'allow-add'?: boolean
  readonly 'no-add'?: boolean
  readonly 'password-file'?: string
  readonly 'session-hours'?: string
  readonly 'trust-header'?: string
  readonly 'trust-from': readonly string[]
  readonly 'tls-cert'?: string
  readonly 'tls-key'?: string
  readonly 'tls-client-ca'?: string
  readonly 'tls-client-crl'?: string
  readonly public?: boolean
  readonly 'rate-limit'?: string
  readonly 'access-log'?: string
  readonly 'sign-key'?: readonly string[]
  readonly passphrase?: string
}

function serveArguments(flags: ServeFlags): Result<ServeArguments, string> {
  const port = portOf('--port', flags.port, DASHBOARD_PORT)
  if (!port.ok) return port
  for (const [flag, text] of [
    ['--host', flags.host],
    ['--config', flags.config],
    ['--data', flags.data],
    ['--password-file', flags['password-file']],
    ['--trust-header', flags['trust-header']],
    ['--access-log', flags['access-log']],
    ['--tls-cert', flags['tls-cert']],
    ['--tls-key', flags['tls-key']],
    ['--tls-client-ca', flags['tls-client-ca']],
    ['--tls-client-crl', flags['tls-client-crl']],
  ] as const)
    if (text === '') return err(`${flag} needs a value.`)
  if (flags['allow-add'] === true && flags['no-add'] === true)
    return err('--allow-add and --no-add exclude each other. Give one of them.')
  if (flags.host !== undefined && !isPlainHost(flags.host))
    return err('--host takes a host name or an address without scheme and port, such as 127.0.0.1.')
  if (flags['allow-host']?.some((name) => !/^[a-z0-9_.-]+$/i.test(name)) === true)
    return err('--allow-host takes a host name without scheme and port, such as wall.example.')
  const tls = tlsArguments(flags)
  if (!tls.ok) return tls
  const rateLimit = wholeNumber('--rate-limit', flags['rate-limit'] ?? String(RATE_LIMIT), 1, 100_000)
  if (!rateLimit.ok) return rateLimit
  const access = accessArguments(flags)
  if (!access.ok) return access
  const serve: ServeArguments = {
    host: (flags.host ?? LOOPBACK).replace(/^\[(.*)\]$/, '$1'),
    port: port.value,
    open: flags.open === true,
    configFile: flags.config,
    dataFolder: flags.data,
    allowedHosts: flags['allow-host'] ?? [],
    addServices: flags['no-add'] === true ? 'never' : flags['allow-add'] === true ? 'always' : 'local',
    access: access.value,
    tls: tls.value,
    rateLimit: rateLimit.value,
    accessLog: flags['access-log'],
    trustFrom: flags['trust-from'],
    signKeys: flags['sign-key'] ?? [],
    passphrase: flags.passphrase,
  }
  const signing = signingProblem(serve)
  if (signing !== undefined) return err(signing)
  if (serve.access === undefined && isReachedByOthers(serve)) return err(NO_ACCESS_CONTROL)
  if (serve.addServices === 'always' && serve.access?.kind === 'public')
    return err('--allow-add lets those who are signed in add services, and with --public nobody is.')
  return ok(serve)
}

/** Whoever may come in has requests signed, so that is to be nobody unknown. */
function signingProblem({ signKeys, passphrase, access }: ServeArguments): string | undefined {
  if (signKeys.includes('') || passphrase === '') return '--sign-key and --passphrase need a value.'
  if (signKeys.length === 0)
    return passphrase === undefined ? undefined : '--passphrase goes with --sign-key.'
  return access === undefined || access.kind === 'public'
    ? '--sign-key signs for everybody who comes in, so give it with --password-file, --trust-header or --tls-client-ca.'
    : undefined
}

const NO_ACCESS_CONTROL =
  'Others could reach this dashboard without access control. Give one of: --password-file FILE; --trust-header NAME with --trust-from ADDRESS; --tls-client-ca FILE; or --public, with which everybody may read and nobody may change anything. See --help.'

function tlsArguments(flags: ServeFlags): Result<ServeArguments['tls'], string> {
  const {
    'tls-cert': certFile,
    'tls-key': keyFile,
    'tls-client-ca': caFile,
    'tls-client-crl': crlFile,
  } = flags
  if (crlFile !== undefined && caFile === undefined)
    return err('--tls-client-crl goes with --tls-client-ca, the authority whose certificates it revokes.')
  if (certFile === undefined && keyFile === undefined && caFile === undefined) return ok(undefined)
  if (certFile === undefined || keyFile === undefined)
    return err('TLS takes both --tls-cert FILE and --tls-key FILE.')
  return ok({
    certFile,
    keyFile,
    ...(caFile !== undefined && { caFile }),
    ...(crlFile !== undefined && { crlFile }),
  })
}

const HOUR_MS = 3_600_000
const SESSION_HOURS = 168

/** Exactly one kind of access control, or none. */
function accessArguments(flags: ServeFlags): Result<AccessArguments | undefined, string> {
  const file = flags['password-file']
  const name = flags['trust-header']
  const from = flags['trust-from']
  const hours = flags['session-hours'] ?? String(SESSION_HOURS)
  const lifeHours = wholeNumber('--session-hours', hours, 1, 720)
  if (!lifeHours.ok) return lifeHours
  if (flags['session-hours'] !== undefined && file === undefined)
    return err('--session-hours goes with --password-file.')
  if (name !== undefined && from.length === 0)
    return err('--trust-header NAME goes with --trust-from ADDRESS, the server in front that sets it.')
  if (name !== undefined && !isTrustable(name))
    return err(
      '--trust-header takes a header of the server in front that nothing else uses, such as X-Forwarded-User.',
    )
  if (readAddressList(from) === undefined)
    return err(
      '--trust-from takes the address of the server in front, or its network: 127.0.0.1, 10.0.0.0/8.',
    )
  const asked: AccessArguments[] = []
  if (flags.public === true) asked.push({ kind: 'public' })
  if (flags['tls-client-ca'] !== undefined) asked.push({ kind: 'certificate' })
  if (name !== undefined) asked.push({ kind: 'header', name })
  if (file !== undefined) asked.push({ kind: 'password', file, lifeMs: lifeHours.value * HOUR_MS })
  if (asked.length > 1)
    return err(
      'Give one of --password-file, --trust-header, --tls-client-ca and --public: each says alone who may come in.',
    )
  return ok(asked[0])
}

/** Not one that a browser sets, or that a page may set for a request. */
const isTrustable = (name: string): boolean =>
  /^[a-z0-9-]{1,64}$/i.test(name) &&
  !/^(authorization|cookie|host|origin|referer|user-agent|accept.*|sec-.*|content-.*|connection|signature.*|x-node-.*)$/i.test(
    name,
  )

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
    const sentence = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : 'Unreadable flags'
    return err(`${sentence}. See --help.`)
  }
}
