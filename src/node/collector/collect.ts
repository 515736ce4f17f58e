import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { METRICS } from '#metrics/metrics.ts'
import { needsKey, needsToken } from '#signing/profile-needs.ts'
import { parseBaseUrl } from '#record/service.ts'
import { notEvaluated } from '#server/answer-watch.ts'
import { NO_FILE, openConfigFile, type ConfigFile } from '#server/config-file.ts'
import { createDeliver, secretProblems } from '#server/deliver.ts'
import { followConfig } from '#watch/follow-config.ts'
import { lockFolder } from '#watch/folder-lock.ts'
import { diskFiles } from '#watch/state-file.ts'
import { createWatchPost } from '#watch/watch-post.ts'
import type { ServerConfig } from '#settings/schema.ts'
import { COLLECT_COMMAND, type CollectOptions } from './collect-options.ts'
import { fail, runParsed, type Output, listenProblem } from '#node/command-line.ts'
import { createCollector, type Collector } from './collector.ts'
import { grafanaDashboard } from './grafana-dashboard.ts'
import { createHttpTransport } from '#node/http-transport.ts'
import { startMetricsServer, type MetricsServer } from './metrics-server.ts'
import { prometheusRules, rulesYaml } from './prometheus-rules.ts'
import { readWordFrom, type SecretWorld } from '#server/secrets.ts'
import type { ServePorts } from '#server/serve.ts'
import { openSigningKeys, type SigningKeys } from '#server/signing-keys.ts'

type CollectPorts = SecretWorld & Output & Pick<ServePorts, 'clock' | 'untilStopped' | 'onHangUp'>

const KEY_BY_DEFAULT = 'env:IMMUNE_NODE_KEY'

export const runCollect = (argv: readonly string[], ports: CollectPorts): Promise<number> =>
  runParsed(COLLECT_COMMAND, argv, ports, async (given) => {
    if (given.kind === 'print')
      return given.what === 'rules' ? printRules(given.config, ports) : printGrafana(ports)
    // Before anything listens, so that stopping the program early also closes its server.
    const stopped = ports.untilStopped()
    const started = await start(given.collect, ports)
    if (!started.ok) return fail(ports, started.error)
    ports.out('Metrics:')
    ports.out(`${started.value.server.url}metrics`)
    await stopped
    await started.value.end()
    return 0
  })

/** Uses the longest interval of the file, because waits are counted in polls and no alert must be raised too early. */
function printRules(configFile: string | undefined, ports: CollectPorts): number {
  const file = configFile === undefined ? ok(NO_FILE) : openConfigFile(configFile, ports.err)
  if (!file.ok) return fail(ports, file.error)
  const { services, alarms } = file.value.current()
  const intervals = services.map(({ pollIntervalMs }) => pollIntervalMs)
  const intervalMs = Math.max(0, ...intervals) || DEFAULTS.pollIntervalMs
  ports.out(rulesYaml(prometheusRules(METRICS, intervalMs, alarms?.builtIn)).trimEnd())
  return 0
}

function printGrafana({ out }: CollectPorts): number {
  out(JSON.stringify(grafanaDashboard(METRICS), null, 2))
  return 0
}

type Running = { readonly server: MetricsServer; readonly end: () => Promise<void> }

async function start(args: CollectOptions, ports: CollectPorts): Promise<Result<Running, readonly string[]>> {
  const { clock } = ports
  const file = openConfigFile(args.config, ports.err)
  if (!file.ok) return file
  const bearer = args.bearer === undefined ? ok(undefined) : readWordFrom(args.bearer, ports)
  if (!bearer.ok) return err([bearer.error])
  const tokens = readTokens(args.token, ports)
  if (!tokens.ok) return tokens
  const sources = args.key.length > 0 ? args.key : wantsKey(file.value.current()) ? [KEY_BY_DEFAULT] : []
  const keys = await openSigningKeys(sources, args.passphrase, ports)
  if (!keys.ok) return keys
  const missing = missingSecrets(file.value.current(), keys.value, tokens.value)
  if (missing.length > 0) return err(missing)

  const notifying = openNotifying(args, file.value, ports, () => collector.stop())
  if (!notifying.ok) return err([notifying.error])
  const transport = createHttpTransport(clock, args.inFlight)
  const collector = createCollector({
    clock,
    transport: transport.send,
    keys: keys.value,
    tokens: tokens.value,
    inFlightMax: args.inFlight,
    shard: args.shard,
    metrics: METRICS,
    watch: notifying.value?.watch,
    onError: (error) =>
      ports.err(`Internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  })
  let isEnding = false
  const server = await startMetricsServer({
    ...args,
    clock,
    bearer: bearer.value,
    exposition: collector.exposition,
    unhealthy: () => notEvaluated(collector.evaluatedWallMs?.(), clock.wallMs()),
    notReady: () => (isEnding ? 'shutting down' : waitsFor(collector)),
  })
  if (!server.ok)
    return err([
      listenProblem(server.error, args) ??
        `The collector can’t listen on ${args.host}: ${server.error.message}.`,
    ])

  const following = followConfig(clock, file.value.current, (config) => {
    for (const line of missingSecrets(config, keys.value, tokens.value)) ports.err(line)
    collector.configure(config, file.value.receivers())
  })
  const endHangUp = ports.onHangUp(following.check)
  return ok({
    server: server.value,
    end: async () => {
      isEnding = true
      endHangUp()
      following.end()
      collector.stop()
      notifying.value?.end()
      await Promise.all([server.value.close(), transport.close()])
    },
  })
}

function openNotifying(
  { notify, data, dashboardUrl = '' }: CollectOptions,
  { receivers }: ConfigFile,
  ports: CollectPorts,
  stop: () => void,
) {
  const { clock, err: report } = ports
  if (!notify || data === undefined) return ok(undefined)
  const lock = lockFolder(data, clock, () => {
    report(`Another process has taken over ${data}. This collector has stopped polling and notifying.`)
    stop()
  })
  if (!lock.ok) return lock
  for (const line of secretProblems(receivers(), ports)) report(line)
  const deliver = createDeliver({ folder: data, world: ports, report })
  const { post, close } = createWatchPost({ clock, deliver, receivers })
  return ok({
    watch: { files: diskFiles(data), post, dashboardUrl, report },
    end: () => {
      close()
      lock.value.release()
    },
  })
}

function waitsFor(collector: Collector): string | undefined {
  const { nodes, polled } = collector.progress()
  return polled < nodes ? `polled ${polled} of ${nodes} nodes` : undefined
}

const wantsKey = ({ services }: ServerConfig): boolean => services.some(needsKey)

function missingSecrets(
  { services }: ServerConfig,
  keys: SigningKeys,
  tokens: ReadonlyMap<string, string>,
): readonly string[] {
  return services.flatMap((service) => {
    const { baseUrl, key } = service
    if (needsToken(service) && !tokens.has(baseUrl))
      return [`${baseUrl}: requires a token. Add --token ${baseUrl}=SOURCE.`]
    if (!needsKey(service) || keys.find(key) !== undefined) return []
    return key === undefined
      ? [`${baseUrl}: requires a key. Add --key SOURCE.`]
      : [`${baseUrl}: requires the key ${key}, which no --key provides.`]
  })
}

function readTokens(
  sources: CollectOptions['token'],
  world: SecretWorld,
): Result<ReadonlyMap<string, string>, readonly string[]> {
  const tokens = new Map<string, string>()
  const problems: string[] = []
  for (const [service, source] of sources) {
    const baseUrl = parseBaseUrl(service)
    const token = readWordFrom(source, world)
    if (!baseUrl.ok) problems.push(`--token ${service}: not the base URL of a service.`)
    else if (token.ok) tokens.set(baseUrl.value, token.value)
    else problems.push(token.error)
  }
  return problems.length > 0 ? err(problems) : ok(tokens)
}
