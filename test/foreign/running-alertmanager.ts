import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '#test/support/free-port.ts'

/** The name in Debian; other systems call it `alertmanager`. */
const PROGRAM = ['prometheus-alertmanager', 'alertmanager'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore', timeout: 10_000 }).error === undefined,
)
export const hasAlertmanager = PROGRAM !== undefined

/** The member names are those of the API. */
export type GettableAlert = {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL: string
  readonly status: { readonly state: string }
}

export type GettableSilence = {
  readonly id: string
  readonly comment: string
  readonly endsAt: string
  readonly status: { readonly state: string }
}

/** Starts a real Alertmanager on this computer, which forwards everything to `hook` at once, until the test ends. */
export async function startAlertmanager(hook: string, more = '') {
  const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'))
  const config = join(folder, 'config.yml')
  await writeFile(
    config,
    [
      'route:',
      '  receiver: hook',
      "  group_by: ['...']",
      '  group_wait: 1ms',
      '  group_interval: 1ms',
      'receivers:',
      '  - name: hook',
      '    webhook_configs:',
      `      - url: ${hook}`,
      more,
    ].join('\n'),
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let program: ChildProcess | undefined

  const stop = async (): Promise<void> => {
    if (program === undefined || program.exitCode !== null) return
    const ended = once(program, 'exit')
    program.kill('SIGKILL')
    await ended
  }
  const start = async (): Promise<void> => {
    program = spawn(
      PROGRAM ?? '',
      [
        `--config.file=${config}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
      ],
      { stdio: 'ignore' },
    )
    await expect
      .poll(() =>
        fetch(`${url}/-/ready`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
  }
  onTestFinished(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  await start()
  return {
    url,
    start,
    stop,
    silences: async (): Promise<readonly GettableSilence[]> => {
      const listed: readonly GettableSilence[] = await (await fetch(`${url}/api/v2/silences`)).json()
      return listed
    },
    /** The active alerts. */
    alerts: async (): Promise<readonly GettableAlert[]> => {
      const listed: readonly GettableAlert[] = await (await fetch(`${url}/api/v2/alerts`)).json()
      return listed
    },
  }
}
