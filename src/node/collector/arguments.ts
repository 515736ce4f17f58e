import { parseArgs, type ParseArgsConfig } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { isPlainHost } from '#record/service.ts'
import { isLoopbackHost } from '#server/request-guard.ts'

export const COLLECTOR_PORT = 7422
const LOOPBACK = '127.0.0.1'
export const SHARDS_MAX = 1_000
export const IN_FLIGHT_MAX = 64
const IN_FLIGHT_LIMIT = 1_000

/** One part of the fleet: nodes whose id falls into it. Parts are counted from 1. */
export type Shard = { readonly part: number; readonly of: number }

export type CollectArguments = {
  readonly configFile: string
  /** Where the keys that sign are read from, see `readSecretFrom`. */
  readonly keys: readonly string[]
  /** Where the passphrase of encrypted key files is read from; undefined: there is none. */
  readonly passphrase: string | undefined
  /** By service: where its token is read from. */
  readonly tokens: ReadonlyMap<string, string>
  readonly host: string
  readonly port: number
  /** Where the word is read from that a scrape has to bring; undefined: none is asked for. */
  readonly bearer: string | undefined
  readonly inFlightMax: number
  readonly shard: Shard | undefined
}

/** What is made from the definitions of metrics for other programs. */
export const PRINTED = ['rules', 'grafana'] as const
export type Printed = (typeof PRINTED)[number]

export type CollectCommand =
  | { readonly kind: 'help' }
  /** Rules without a file are for the default interval. */
  | { readonly kind: 'print'; readonly what: Printed; readonly configFile: string | undefined }
  | { readonly kind: 'collect'; readonly collect: CollectArguments }

const OPTIONS = {
  config: { type: 'string' },
  key: { type: 'string', multiple: true },
  passphrase: { type: 'string' },
  token: { type: 'string', multiple: true },
  host: { type: 'string' },
  port: { type: 'string' },
  bearer: { type: 'string' },
  public: { type: 'boolean' },
  'in-flight': { type: 'string' },
  shard: { type: 'string' },
  print: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

/** Reads the flags of `collect`; the error is one line that says what to change. */
export function parseCollectCommand(argv: readonly string[]): Result<CollectCommand, string> {
  const parsed = flagsOf(argv)
  if (!parsed.ok) return parsed
  const flags = parsed.value
  if (flags.help === true) return ok({ kind: 'help' })
  if (flags.print !== undefined) {
    const what = PRINTED.find((known) => known === flags.print)
    return what === undefined
      ? err(`--print takes one of: ${PRINTED.join(', ')}.`)
      : ok({ kind: 'print', what, configFile: flags.config })
  }
  if (flags.config === undefined || flags.config === '')
    return err('collect takes --config FILE: the services and nodes to ask. See collect --help.')
  if (flags.host !== undefined && !isPlainHost(flags.host))
    return err('--host takes a host name or an address without scheme and port, such as 127.0.0.1.')
  const host = (flags.host ?? LOOPBACK).replace(/^\[(.*)\]$/, '$1')
  if (flags.bearer !== undefined && flags.public === true)
    return err('Give one of --bearer and --public: each says alone who may read.')
  if (!isLoopbackHost(host) && flags.bearer === undefined && flags.public !== true)
    return err(
      'Others could read the whole fleet at this address. Give --bearer SOURCE, which Prometheus brings as credentials_file, or --public.',
    )
  const port = wholeNumber('--port', flags.port, COLLECTOR_PORT, [0, 65_535])
  if (!port.ok) return port
  const inFlight = wholeNumber('--in-flight', flags['in-flight'], IN_FLIGHT_MAX, [1, IN_FLIGHT_LIMIT])
  if (!inFlight.ok) return inFlight
  const shard = flags.shard === undefined ? ok(undefined) : shardOf(flags.shard)
  if (!shard.ok) return shard
  const tokens = tokensOf(flags.token ?? [])
  if (!tokens.ok) return tokens
  return ok({
    kind: 'collect',
    collect: {
      configFile: flags.config,
      keys: flags.key ?? [],
      passphrase: flags.passphrase,
      tokens: tokens.value,
      host,
      port: port.value,
      bearer: flags.bearer,
      inFlightMax: inFlight.value,
      shard: shard.value,
    },
  })
}

/** Node reports a wrong flag by throwing; its first sentence is the part that helps. */
function flagsOf(argv: readonly string[]) {
  try {
    return ok(parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values)
  } catch (error) {
    const sentence = error instanceof Error ? error.message.split(/\. |\n/)[0] : 'Unreadable flags'
    return err(`${sentence}. See collect --help.`)
  }
}

function wholeNumber(
  flag: string,
  text: string | undefined,
  otherwise: number,
  [min, max]: readonly [number, number],
): Result<number, string> {
  if (text === undefined) return ok(otherwise)
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? ok(value) : err(`${flag} takes a whole number from ${min} to ${max}.`)
}

function shardOf(text: string): Result<Shard, string> {
  const [, partText = '', ofText = ''] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { part: Number(partText), of: Number(ofText) }
  if (partText !== '' && shard.part >= 1 && shard.part <= shard.of && shard.of <= SHARDS_MAX) return ok(shard)
  return err(
    `--shard takes PART/OF, such as 1/4 for the first of four collectors, with at most ${SHARDS_MAX} parts.`,
  )
}

function tokensOf(texts: readonly string[]): Result<ReadonlyMap<string, string>, string> {
  const tokens = new Map<string, string>()
  for (const text of texts) {
    const [, service = '', source = ''] = /^(https?:\/\/[^=\s]+)=(\S.*)$/i.exec(text) ?? []
    if (service === '')
      return err('--token takes SERVICE=SOURCE: the base URL of a service, and where its token is.')
    tokens.set(service, source)
  }
  return ok(tokens)
}
