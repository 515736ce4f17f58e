import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFiles } from '#test/node/collector/running.ts'
import { runReference } from '#test/node/reference/running.ts'
import { startReceiver } from '#test/support/running-receiver.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'

const CLI = join(import.meta.dirname, '../../dist/node/cli.js')
const Message = v.object({ id: v.string(), kind: v.string() })

/** A real process, started as systemd would. */
async function start(argv: readonly string[]) {
  const child = spawn(process.execPath, [CLI, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await once(child, 'exit')
  }
}

it('a killed and restarted watch sends one problem and one recovery', async () => {
  const running = await runReference({ nodes: 1 })
  const receiver = await startReceiver()
  const { config, key } = createFiles(running, 1)
  const document: object = JSON.parse(readFileSync(config, 'utf8'))
  writeFileSync(config, JSON.stringify({ ...document, receivers: [{ kind: 'webhook', url: receiver.url }] }))
  const argv = [
    'collect',
    '--config',
    config,
    '--key',
    key,
    '--port',
    '0',
    '--notify',
    '--data',
    temporaryFolder(),
  ]
  const idsOf = (kind: string) => {
    const all = v.parse(v.array(Message), receiver.taken)
    return new Set(all.flatMap((one) => (one.kind === kind ? [one.id] : [])))
  }
  const until = (kind: string) => vi.waitFor(() => expect(idsOf(kind).size).toBe(1), 40_000)

  await running.service.faults.set(running.id(0), { name: 'status', value: 503 })
  let stop = await start(argv)
  await until('problem')
  await stop('SIGKILL')
  await running.service.faults.clear()
  stop = await start(argv)
  await until('recovery')
  await stop('SIGKILL')
  stop = await start(argv)
  await expect
    .poll(() => readFileSync(join(argv.at(-1) ?? '', 'journal.jsonl'), 'utf8'))
    .toContain('alarm-cleared')
  await stop('SIGTERM')
  expect([idsOf('problem').size, idsOf('recovery').size]).toEqual([1, 1])
}, 120_000)
