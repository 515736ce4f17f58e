import { one, text, toggle, whole, withDefault, type Command, type Values } from '#node/command-line.ts'
import { readTextFile } from '#node/files.ts'
import { err, ok, type Result } from '#base/result.ts'
import { parseNodeId } from '#record/node-id.ts'
import { parseBaseUrl } from '#record/service.ts'
import { parseService } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import { isPresetId } from '#signing/preset-ids.ts'

const BURST_MAX = 1_000
const PROFILE_BYTES_MAX = 1_048_576

const nodeId = (given: string): Result<string, string> => {
  const id = parseNodeId(given)
  return id.ok ? id : err('takes a node id: 0x and hex digits.')
}

/** A preset's id, or the document in a file. */
function profile(given: string): Result<unknown, string> {
  if (isPresetId(given)) return ok(given)
  try {
    const read = readTextFile(given, PROFILE_BYTES_MAX)
    if (read.ok) return ok(JSON.parse(read.value))
    return err(`takes the id of a preset, or a profile file. ${given} ${read.error}`)
  } catch {
    return err(`takes the id of a preset, or a profile file: ${given} is neither.`)
  }
}

const origin = (given: string): Result<string, string> =>
  URL.canParse(given) && new URL(given).origin === given
    ? ok(given)
    : err('takes the origin of a page, such as https://dash.example.')

const OPTIONS = {
  url: one('URL', 'base URL of the service', ok<string>),
  key: one(
    'SOURCE',
    'key registered with the service: a file that only its owner may use (chmod 600), env:NAME, or credential:NAME (systemd); without it, runs only the steps of the connection test that need no key',
    text,
  ),
  passphrase: one('SOURCE', 'passphrase of an encrypted key file', text),
  node: one('ID', 'node to request; without it, the default node', nodeId),
  profile: one('P', 'signing profile: the id of a preset, or a file', profile),
  origin: one('ORIGIN', 'also check that a page of this origin can read the service', origin),
  burst: withDefault(
    one('N', `send N requests at once to test the rate limit; at most ${BURST_MAX}`, whole(0, BURST_MAX)),
    0,
  ),
  timeout: withDefault(one('S', 'timeout of a request, in seconds', whole(1, 120)), 10),
  strict: toggle('count warnings as failures'),
  json: toggle('print the result as JSON'),
}

export type ProbeOptions = Values<typeof OPTIONS> & { readonly service: Service }

export const PROBE_COMMAND: Command<typeof OPTIONS, ProbeOptions> = {
  name: 'probe',
  summary: 'test the connection to a service and check that it rejects invalid requests',
  usage: ['probe --url URL [--key SOURCE] [OPTIONS]'],
  options: OPTIONS,
  notes: `Exit codes
  0  no step or check failed
  1  no check ran: an invalid option or an unusable key
  2  the connection test failed
  3  a check failed, or with --strict a step or check gave a warning`,
  read: (values) => {
    const url = parseBaseUrl(values.url ?? '')
    if (!url.ok)
      return err(
        'probe requires --url URL, the base URL of the service, such as https://api.example.net, without /node/status.',
      )
    const service = parseService({
      baseUrl: url.value,
      via: 'direct',
      timeoutMs: values.timeout * 1_000,
      ...(values.profile !== undefined && { profile: values.profile }),
    })
    return service.ok
      ? ok({ ...values, service: service.value })
      : err(service.error.map(({ path, message }) => `${path || 'profile'}: ${message}.`).join(' '))
  },
}
