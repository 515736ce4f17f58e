import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '#test/support/free-port.ts'

/** Prometheus and its promtool come in one package. */
export const hasPrometheus =
  spawnSync('promtool', ['--version'], { stdio: 'ignore', timeout: 10_000 }).error === undefined

export function promtool(
  argv: readonly string[],
  input = '',
): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', argv, { input, encoding: 'utf8', timeout: 60_000 })
  return { code: status, said: `${stdout}${stderr}` }
}

/** vmalert is of the same package. */
export const hasVictoriaMetrics = ['victoria-metrics', 'vmalert'].every(
  (program) => spawnSync(program, ['-version'], { stdio: 'ignore', timeout: 10_000 }).error === undefined,
)

type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] }

type RemoteWrite = { readonly url: string; readonly labels: Readonly<Record<string, string>> }

/**
 * A real Prometheus on this computer that reads `target` each second by these rules. Ended after the test.
 * `before`: what it has kept already, as OpenMetrics text. `remote`: where it writes all of it too, with these labels.
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
      // Hidden, and kept: of blocks of two hours there would be hundreds.
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

/** The same of a real VictoriaMetrics, a single node; its alerting rules are for a program of its own. */
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
    // What was read is there at once; else it waits for what others may still bring.
    '-search.latencyOffset=0s',
  ])
  if (before !== undefined) {
    // Its times are in ms where OpenMetrics has seconds.
    const body = before.replaceAll(/ (\d+)$/gm, ' $1000')
    const taken = await fetch(`${url}/api/v1/import/prometheus`, { method: 'POST', body })
    expect(taken.ok).toBe(true)
    await fetch(`${url}/internal/force_flush`)
  }
  return queriesOf(url)
}

/** VictoriaMetrics' own program for rules: it asks the engine, and writes there what it finds. Ended after the test. */
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
    // It wants one; nobody listens there.
    '-notifier.url=http://127.0.0.1:9',
  ])
}

const scrapesOf = (target: string | undefined) =>
  target === undefined ? [] : [{ job_name: 'immune-nodes', static_configs: [{ targets: [target] }] }]

/** Ended after the test, and its folder removed. */
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
