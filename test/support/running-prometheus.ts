import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '#test/support/free-port.ts'

/** Prometheus and promtool come in one package. */
export const hasPrometheus =
  spawnSync('promtool', ['--version'], { stdio: 'ignore', timeout: 10_000 }).error === undefined

export function promtool(
  argv: readonly string[],
  input = '',
): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', argv, { input, encoding: 'utf8', timeout: 60_000 })
  return { code: status, said: `${stdout}${stderr}` }
}

/** VictoriaMetrics and vmalert come in one package. */
export const hasVictoriaMetrics = ['victoria-metrics', 'vmalert'].every(
  (program) => spawnSync(program, ['-version'], { stdio: 'ignore', timeout: 10_000 }).error === undefined,
)

type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] }

type RemoteWrite = { readonly url: string; readonly labels: Readonly<Record<string, string>> }

/**
 * Starts a real Prometheus on this computer that scrapes `target` each second and evaluates these rules, until the test
 * ends. `before` is its earlier data as OpenMetrics text. `remote` is where it also writes everything, with these
 * labels.
 */
export async function startPrometheus(
  target: string | undefined,
  rules: string,
  before?: string,
  remote?: RemoteWrite,
) {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
  const [config, rulesFile] = [join(folder, 'prometheus.yml'), join(folder, 'rules.yml')]
  await writeFile(rulesFile, rules)
  await writeFile(
    config,
    JSON.stringify({
      global: {
        scrape_interval: '1s',
        scrape_timeout: '1s',
        evaluation_interval: '1s',
        external_labels: remote?.labels ?? {},
      },
      remote_write:
        remote === undefined ? [] : [{ url: remote.url, queue_config: { batch_send_deadline: '1s' } }],
      rule_files: [rulesFile],
      scrape_configs: scrapesOf(target),
    }),
  )
  if (before !== undefined) {
    await writeFile(join(folder, 'before.om'), before)
    const made = promtool([
      'tsdb',
      'create-blocks-from',
      'openmetrics',
      // The default blocks of two hours would number in the hundreds. The help omits this flag, but promtool still
      // accepts it.
      '--max-block-duration=2000h',
      join(folder, 'before.om'),
      join(folder, 'data'),
    ])
    expect(made.code, made.said).toBe(0)
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await startProgram(folder, `${url}/-/ready`, [
    'prometheus',
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--storage.tsdb.retention.time=400d',
    `--web.listen-address=127.0.0.1:${port}`,
  ])
  return queriesOf(url)
}

/** Starts a real single-node VictoriaMetrics. Its alerting rules run in vmalert. */
export async function startVictoriaMetrics(target?: string, before?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'victoria-'))
  const config = join(folder, 'prometheus.yml')
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: scrapesOf(target),
    }),
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await startProgram(folder, `${url}/health`, [
    'victoria-metrics',
    `-promscrape.config=${config}`,
    `-storageDataPath=${join(folder, 'data')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    // Makes samples visible at once; by default the engine waits for late ones.
    '-search.latencyOffset=0s',
  ])
  if (before !== undefined) {
    // The import expects milliseconds; OpenMetrics has seconds.
    const body = before.replaceAll(/ (\d+)$/gm, ' $1000')
    const taken = await fetch(`${url}/api/v1/import/prometheus`, { method: 'POST', body })
    expect(taken.ok).toBe(true)
    await fetch(`${url}/internal/force_flush`)
  }
  return queriesOf(url)
}

/** Starts vmalert, which queries the engine and writes its results back, until the test ends. */
export async function startVmalert(engineUrl: string, rules: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vmalert-'))
  const rulesFile = join(folder, 'rules.yml')
  await writeFile(rulesFile, rules)
  const port = await freePort()
  await startProgram(folder, `http://127.0.0.1:${port}/health`, [
    'vmalert',
    `-rule=${rulesFile}`,
    `-datasource.url=${engineUrl}`,
    `-remoteWrite.url=${engineUrl}`,
    '-remoteWrite.flushInterval=1s',
    `-httpListenAddr=127.0.0.1:${port}`,
    // vmalert requires a notifier; nothing listens at this address.
    '-notifier.url=http://127.0.0.1:9',
  ])
}

const scrapesOf = (target: string | undefined) =>
  target === undefined ? [] : [{ job_name: 'immune-nodes', static_configs: [{ targets: [target] }] }]

/** Runs the program until the test ends, then removes its folder. */
async function startProgram(
  folder: string,
  readyUrl: string,
  [program = '', ...args]: readonly string[],
): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const status = () =>
    fetch(readyUrl).then(
      (reply) => reply.status,
      () => 0,
    )
  await expect.poll(status, { timeout: 20_000 }).toBe(200)
}

function queriesOf(url: string) {
  return {
    url,
    query: async (expr: string): Promise<readonly Sample[]> => {
      const reply: { readonly data: { readonly result: readonly Sample[] } } = await (
        await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)
      ).json()
      return reply.data.result
    },
  }
}
