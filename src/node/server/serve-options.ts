import { DEFAULTS } from '#base/defaults.ts'
import { HOUR_MS } from '#base/time.ts'
import {
  many,
  one,
  host,
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
import type { GateOptions } from './access.ts'
import { readAddressList } from '#node/address-guard.ts'
import { isLoopbackHost } from '#record/service.ts'
import type { TlsPaths } from './tls-files.ts'

/** The reference service's own limit. */
const NODES_MAX = 100_000
/** Requests per second of one visitor: twice what 5,000 nodes every 10 s need. */
export const RATE_LIMIT = 1_000
const SESSION_HOURS = 168

/** Excludes headers that a browser sets, or that a page may set in a request. */
const isTrustable = (name: string): boolean =>
  /^[a-z0-9-]{1,64}$/i.test(name) &&
  !/^(authorization|cookie|host|origin|referer|user-agent|accept.*|sec-.*|content-.*|connection|signature.*|x-node-.*)$/i.test(
    name,
  )

const hostName = (given: string): Result<string, string> =>
  /^[a-z0-9_.-]+$/i.test(given)
    ? ok(given)
    : err('takes a host name without scheme or port, such as wall.example.')

const trustedHeader = (name: string): Result<string, string> =>
  name === '' || isTrustable(name)
    ? text(name)
    : err('takes a header that only the reverse proxy sets, such as X-Forwarded-User.')

const address = (given: string): Result<string, string> =>
  readAddressList([given]) === undefined
    ? err('takes the address of the reverse proxy, or its network: 127.0.0.1, 10.0.0.0/8.')
    : ok(given)

/** Without a trailing slash; "/" is the host's root, ''. */
const path = (given: string): Result<string, string> =>
  /^(\/[\w.~-]+)*\/?$/.test(given) && !/\/\.\.?(\/|$)/.test(given)
    ? ok(given.replace(/\/$/, ''))
    : err('takes a path such as /immune/, made of letters, digits and . _ ~ -')

const SERVE = {
  port: port('the dashboard', 7_420),
  host,
  basePath: one('PATH', 'serve the dashboard under this path (/)', path),
  open: toggle('open the dashboard in the browser'),
  config: one('FILE', 'services, nodes, limits, alarms, views and receivers; see config.schema.json', text),
  data: one(
    'DIR',
    'folder for services and receivers added in browsers, and for the state of --notify',
    text,
  ),
  allowHost: many('NAME', 'accept this host name too', hostName),
  allowAdd: toggle('let signed-in users add services and receivers in the browser'),
  noAdd: toggle('let nobody add services or receivers'),
  tlsCert: one('FILE', 'certificate chain for https (PEM)', text),
  tlsKey: one('FILE', 'key of that certificate (PEM)', text),
  rateLimit: withDefault(one('N', 'requests per second per visitor', whole(1, 100_000)), RATE_LIMIT),
  accessLog: one(
    'FILE',
    'write one line of JSON per request to this file, or to standard output if FILE is "-"; SIGHUP reopens the file',
    text,
  ),
  signKey: many(
    'SOURCE',
    'sign status requests to configured services with this key, so that browsers need none; requires access control',
    text,
  ),
  passphrase: one('SOURCE', 'passphrase of an encrypted key', text),
  notify: toggle(
    'poll, raise alarms and send them to the receivers of --config, with no browser open; keep state in --data',
  ),
  metricsBearer: one('SOURCE', 'token with which Prometheus may read /watch/metrics', text),
  dashboardUrl: one('URL', 'address of the dashboard in messages, such as https://nodes.example', webAddress),
}

const ACCESS = {
  passwordFile: one('FILE', 'require sign-in; the file holds lines from hash-password', text),
  sessionHours: one('N', `hours until a session expires (${SESSION_HOURS})`, whole(1, 720)),
  trustHeader: one(
    'NAME',
    'header in which the reverse proxy names the user; requires --trust-from',
    trustedHeader,
  ),
  trustFrom: many('ADDRESS', 'trust the forwarding headers of a proxy at this address or network', address),
  tlsClientCa: one(
    'FILE',
    'require a client certificate from this authority; requires --tls-cert and --tls-key',
    text,
  ),
  tlsClientCrl: one('FILE', 'certificates revoked by that authority (CRL)', text),
  public: toggle('let everyone read; nobody can add or send anything'),
}

const REFERENCE = {
  referencePort: port('the reference service', 7_421),
  referenceControlToken: one('T', 'token of its control address (random)', ok<string>),
  nodes: one(
    'N',
    `number of demo nodes; the first screen offers at most ${DEFAULTS.nodesMax.toLocaleString('en-GB')} of them (default: 12 nodes, 3 offered)`,
    whole(1, NODES_MAX),
  ),
  noReference: toggle('do not start the reference service'),
}

const SERVE_OPTIONS = { ...SERVE, ...ACCESS }
const START_OPTIONS = { ...SERVE_OPTIONS, ...REFERENCE }

type ServeValues = Values<typeof SERVE_OPTIONS>

export type ServeOptions = Omit<ServeValues, 'basePath'> & {
  /** '' at the root, otherwise for example "/immune". */
  readonly basePath: string
  readonly addServices: GateOptions['addServices']
  readonly access: AccessOptions | undefined
  readonly tls: TlsPaths | undefined
}

type AccessOptions =
  | { readonly kind: 'public' | 'certificate' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'password'; readonly file: string; readonly lifeMs: number }

export type DemoOptions = {
  readonly port: number
  /** Undefined: the service's default. */
  readonly nodes: number | undefined
  /** Undefined: a random one. */
  readonly controlToken: string | undefined
}

/** `demo`: the reference service to start together with the dashboard. */
export type ServeCommand = {
  readonly kind: 'start' | 'serve' | 'dev'
  readonly serve: ServeOptions
  readonly demo: DemoOptions | undefined
}

const GROUPS = {
  Options: SERVE,
  'Access control: if others can reach the server, use --password-file, --trust-header, --tls-client-ca or --public':
    ACCESS,
}

const NOTES =
  'SOURCE is a file that only its owner may use (chmod 600, or a mounted file owned by root with mode 0440), env:NAME, or credential:NAME (systemd).'

export const SERVE_COMMAND: Command<typeof SERVE_OPTIONS, ServeCommand> = {
  name: 'serve',
  summary: 'run only the dashboard',
  usage: ['serve [OPTIONS]'],
  groups: GROUPS,
  options: SERVE_OPTIONS,
  notes: NOTES,
  read: (values) => withServe(values, (serve) => ok({ kind: 'serve', serve, demo: undefined })),
}

const startCommand = (
  kind: 'start' | 'dev',
  summary: string,
): Command<typeof START_OPTIONS, ServeCommand> => ({
  name: kind,
  summary,
  usage: [`${kind} [OPTIONS]`],
  groups: { ...GROUPS, 'Reference service': REFERENCE },
  options: START_OPTIONS,
  notes: NOTES,
  read: (values) =>
    withServe(values, (serve) => {
      if (kind === 'dev' && serve.basePath !== '')
        return err('dev serves at the root. Serve the built dashboard under a path with serve or start.')
      if (kind === 'dev' && (isReachedByOthers(serve) || serve.access !== undefined))
        return err('dev serves this computer only. Serve the built dashboard to others with serve or start.')
      const { referencePort, nodes, referenceControlToken: controlToken, noReference } = values
      return ok({ kind, serve, demo: noReference ? undefined : { port: referencePort, nodes, controlToken } })
    }),
})

export const START_COMMAND = startCommand(
  'start',
  'run the dashboard and a reference service with demo nodes',
)
export const DEV_COMMAND = startCommand('dev', 'like start, with hot reload from the source')

/** Whether other computers can reach the server. A reverse proxy also gives others access. */
export const isReachedByOthers = ({
  host: name,
  allowHost,
  trustFrom,
}: Pick<ServeValues, 'host' | 'allowHost' | 'trustFrom'>): boolean =>
  !isLoopbackHost(name) || allowHost.length > 0 || trustFrom.length > 0

function withServe(
  values: ServeValues,
  use: (serve: ServeOptions) => Result<ServeCommand, string>,
): Result<ServeCommand, string> {
  const { allowAdd, noAdd, signKey, passphrase } = values
  if (allowAdd && noAdd) return err('Use only one of --allow-add and --no-add.')
  const tls = tlsPaths(values)
  if (!tls.ok) return tls
  const found = accessOptions(values)
  if (!found.ok) return found
  const access = found.value
  if (signKey.length === 0 && passphrase !== undefined) return err('--passphrase requires --sign-key.')
  // Requests are signed for everyone with access.
  if (signKey.length > 0 && (access === undefined || access.kind === 'public'))
    return err(
      '--sign-key signs for every visitor. Use it with --password-file, --trust-header or --tls-client-ca.',
    )
  if (values.metricsBearer !== undefined && !values.notify) return err('--metrics-bearer requires --notify.')
  if (values.notify && values.config === undefined)
    return err('--notify requires --config FILE, with the services, nodes and receivers.')
  if (access === undefined && isReachedByOthers(values)) return err(NO_ACCESS_CONTROL)
  if (allowAdd && access?.kind === 'public')
    return err('--allow-add lets signed-in users add services, but --public has no sign-in.')
  const addServices = noAdd ? 'never' : allowAdd ? 'always' : 'local'
  return use({ ...values, basePath: values.basePath ?? '', access, tls: tls.value, addServices })
}

const NO_ACCESS_CONTROL =
  'Others could reach this dashboard without access control. Use one of: --password-file FILE; --trust-header NAME with --trust-from ADDRESS; --tls-client-ca FILE; or --public, which lets everyone read and nobody change anything. See serve --help.'

function tlsPaths(values: ServeValues): Result<TlsPaths | undefined, string> {
  const { tlsCert: certFile, tlsKey: keyFile, tlsClientCa: caFile, tlsClientCrl: crlFile } = values
  if (crlFile !== undefined && caFile === undefined)
    return err(
      '--tls-client-crl requires --tls-client-ca, the authority that issued the revoked certificates.',
    )
  if (certFile !== undefined && keyFile !== undefined) return ok({ certFile, keyFile, caFile, crlFile })
  return [certFile, keyFile, caFile].every((file) => file === undefined)
    ? ok(undefined)
    : err('TLS requires both --tls-cert FILE and --tls-key FILE.')
}

/** At most one kind of access control. */
function accessOptions(values: ServeValues): Result<AccessOptions | undefined, string> {
  const { passwordFile: file, sessionHours, trustHeader: name, trustFrom, tlsClientCa } = values
  if (sessionHours !== undefined && file === undefined)
    return err('--session-hours requires --password-file.')
  if (name !== undefined && trustFrom.length === 0)
    return err('--trust-header NAME requires --trust-from ADDRESS, the reverse proxy that sets it.')
  const chosen: AccessOptions[] = []
  if (values.public) chosen.push({ kind: 'public' })
  if (tlsClientCa !== undefined) chosen.push({ kind: 'certificate' })
  if (name !== undefined) chosen.push({ kind: 'header', name })
  if (file !== undefined)
    chosen.push({ kind: 'password', file, lifeMs: (sessionHours ?? SESSION_HOURS) * HOUR_MS })
  return chosen.length > 1
    ? err('Use only one of --password-file, --trust-header, --tls-client-ca and --public.')
    : ok(chosen[0])
}
