import { readFileSync } from 'node:fs'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { parseNodeId } from '#record/node-id.ts'
import { parseBaseUrl } from '#record/service.ts'
import { parseService } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import { isPresetId } from '#signing/preset-ids.ts'

export const BURST_MAX = 1_000

export type ProbeArguments = {
  readonly service: Service
  readonly nodeId: string | undefined
  /** Where the key is read from; undefined: only what needs none is tried. */
  readonly key: string | undefined
  readonly passphrase: string | undefined
  /** A page that is to read the service across origins; undefined: that is not tried. */
  readonly origin: string | undefined
  /** Requests at once, to see how the service limits them; 0: not tried. */
  readonly burst: number
  readonly strict: boolean
  readonly json: boolean
}

export type ProbeCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'probe'; readonly probe: ProbeArguments }

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  passphrase: { type: 'string' },
  node: { type: 'string' },
  profile: { type: 'string' },
  origin: { type: 'string' },
  burst: { type: 'string' },
  timeout: { type: 'string' },
  strict: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

/** Reads the flags of `probe`; the error is one line that says what to change. */
export function parseProbeCommand(argv: readonly string[]): Result<ProbeCommand, string> {
  const parsed = flagsOf(argv)
  if (!parsed.ok) return parsed
  const flags = parsed.value
  if (flags.help === true) return ok({ kind: 'help' })
  const url = parseBaseUrl(flags.url ?? '')
  if (!url.ok)
    return err('probe takes --url URL: the base URL of the service, such as https://api.example.net.')
  const node = flags.node === undefined ? undefined : parseNodeId(flags.node)
  if (node?.ok === false) return err('--node takes a node id: 0x and hex digits.')
  const profile = profileOf(flags.profile)
  if (!profile.ok) return profile
  const burst = wholeNumber('--burst', flags.burst ?? '0', 0, BURST_MAX)
  if (!burst.ok) return burst
  const timeoutS = wholeNumber('--timeout', flags.timeout ?? '10', 1, 120)
  if (!timeoutS.ok) return timeoutS
  const service = parseService({
    baseUrl: url.value,
    via: 'direct',
    timeoutMs: timeoutS.value * 1_000,
    ...(profile.value !== undefined && { profile: profile.value }),
  })
  if (!service.ok)
    return err(service.error.map(({ path, message }) => `${path || 'profile'}: ${message}.`).join(' '))
  const origin = originOf(flags.origin)
  if (!origin.ok) return origin
  return ok({
    kind: 'probe',
    probe: {
      service: service.value,
      nodeId: node?.value,
      key: flags.key,
      passphrase: flags.passphrase,
      origin: origin.value,
      burst: burst.value,
      strict: flags.strict === true,
      json: flags.json === true,
    },
  })
}

/** Node reports a wrong flag by throwing; its first sentence is the part that helps. */
function flagsOf(argv: readonly string[]) {
  try {
    return ok(parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values)
  } catch (error) {
    const sentence = error instanceof Error ? error.message.split(/\. |\n/)[0] : 'Unreadable flags'
    return err(`${sentence}. See probe --help.`)
  }
}

/** A built-in profile's id, or the document in a file. */
function profileOf(given: string | undefined): Result<unknown, string> {
  if (given === undefined || isPresetId(given)) return ok(given)
  try {
    return ok(JSON.parse(readFileSync(given, 'utf8')))
  } catch {
    return err(`--profile takes the id of a built-in profile, or a file with one: ${given} is neither.`)
  }
}

function originOf(given: string | undefined): Result<string | undefined, string> {
  if (given === undefined) return ok(undefined)
  const url = URL.canParse(given) ? new URL(given) : undefined
  return url?.origin === given
    ? ok(given)
    : err('--origin takes the origin of a page, such as https://dash.example.')
}

function wholeNumber(flag: string, text: string, min: number, max: number): Result<number, string> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? ok(value) : err(`${flag} takes a whole number from ${min} to ${max}.`)
}
