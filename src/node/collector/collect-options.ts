import {
  host,
  many,
  one,
  port,
  text,
  toggle,
  webAddress,
  whole,
  withDefault,
  type Command,
  type Values,
} from '#node/command-line.ts'
import { err, ok, type Result } from '#base/result.ts'
import { isLoopbackHost } from '#record/service.ts'

const SHARDS_MAX = 1_000

/** A part of the fleet, chosen by node id. Parts are counted from 1. */
export type Shard = { readonly part: number; readonly of: number }

function shard(given: string): Result<Shard, string> {
  const [, partText = '', ofText = ''] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? []
  const [part, of] = [Number(partText), Number(ofText)]
  if (part >= 1 && part <= of && of <= SHARDS_MAX) return ok({ part, of })
  return err(`takes PART/OF, such as 1/4 for the first of four collectors, with at most ${SHARDS_MAX} parts.`)
}

function token(given: string): Result<readonly [service: string, source: string], string> {
  const [, service = '', source = ''] = /^(https?:\/\/[^=\s]+)=(\S.*)$/i.exec(given) ?? []
  return service === ''
    ? err('takes URL=SOURCE: the base URL of a service, and the source of its token.')
    : ok([service, source])
}

const printed = (given: string): Result<'rules' | 'grafana', string> =>
  given === 'rules' || given === 'grafana' ? ok(given) : err('takes one of: rules, grafana.')

const ASK = {
  config: one(
    'FILE',
    'services, nodes and limits, as for serve; reloaded when it changes, and on SIGHUP',
    text,
  ),
  key: many('SOURCE', 'signing key (env:IMMUNE_NODE_KEY)', text),
  passphrase: one('SOURCE', 'passphrase of encrypted key files', text),
  token: many('URL=SOURCE', 'token for a service whose profile sends one', token),
  shard: one('PART/OF', `poll one part of the nodes, such as 1/4; at most ${SHARDS_MAX} parts`, shard),
  inFlight: withDefault(one('N', 'requests in flight per host', whole(1, 1_000)), 64),
  notify: toggle('raise alarms and send them to the receivers of --config; keep state in --data'),
  data: one('DIR', 'folder for alarms, unsent messages and the journal', text),
  dashboardUrl: one('URL', 'address of the dashboard in messages, such as https://nodes.example', webAddress),
  print: one('rules|grafana', 'print rules for Prometheus or a dashboard for Grafana, and exit', printed),
}

const METRICS = {
  port: port('the metrics', 7_422),
  host,
  bearer: one('SOURCE', 'token that scrapes must send as "Authorization: Bearer"', text),
  public: toggle('let anyone who can reach this address read the metrics'),
}

const OPTIONS = { ...ASK, ...METRICS }

export type CollectOptions = Values<typeof OPTIONS> & { readonly config: string }

/** Without a file, rules are printed for the default interval. */
type CollectOrPrint =
  | { readonly kind: 'print'; readonly what: 'rules' | 'grafana'; readonly config: string | undefined }
  | { readonly kind: 'collect'; readonly collect: CollectOptions }

export const COLLECT_COMMAND: Command<typeof OPTIONS, CollectOrPrint> = {
  name: 'collect',
  summary: 'poll headlessly and export to Prometheus',
  usage: ['collect --config FILE [--key SOURCE] [OPTIONS]'],
  groups: { Options: ASK, 'Metrics, in Prometheus text or OpenMetrics; /healthz and /readyz': METRICS },
  options: OPTIONS,
  notes: 'SOURCE is a file that only its owner may use (chmod 600), env:NAME, or credential:NAME (systemd).',
  read: (values) => {
    const { config, print, bearer, notify, data } = values
    if (print !== undefined) return ok({ kind: 'print', what: print, config })
    if (config === undefined)
      return err('collect requires --config FILE, with the services and nodes to poll. See collect --help.')
    if (notify !== (data !== undefined))
      return err('--notify and --data DIR require each other: DIR keeps alarms and unsent messages.')
    if (bearer !== undefined && values.public) return err('Use only one of --bearer and --public.')
    if (!isLoopbackHost(values.host) && bearer === undefined && !values.public)
      return err(
        'Others could read the whole fleet at this address. Use --bearer SOURCE, which Prometheus sends from its credentials_file, or --public.',
      )
    return ok({ kind: 'collect', collect: { ...values, config } })
  },
}
