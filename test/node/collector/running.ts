import { generateKeyPairSync } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { runCollect } from '#collector/collect.ts'
import { systemClock } from '#platform/system-clock.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import type { Running } from '#test/node/reference/running.ts'

/** Writes a configuration and a registered key to a temporary folder. */
export function createFiles(running: Running, count: number, service: object = {}) {
  const folder = temporaryFolder()
  const [config, key] = [join(folder, 'config.json'), join(folder, 'key.pem')]
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  running.service.keys.register(
    publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
  )
  const write = (nodes: number, more: object = {}): void => {
    const whole = {
      version: 1,
      services: [{ baseUrl: running.baseUrl, pollIntervalMs: 1_000, ...more }],
      nodes: Array.from({ length: nodes }, (_, index) => ({
        id: running.id(index),
        ...(index === 0 && { name: 'first' }),
      })),
    }
    // Renamed into place, so that the collector never reads half a file.
    writeFileSync(`${config}.new`, JSON.stringify(whole))
    renameSync(`${config}.new`, config)
  }
  write(count, service)
  return { config, key, write }
}

/** Runs the command in this process and records what it prints. */
export function startCollect(...argv: string[]) {
  const said: string[] = []
  let stop = (): void => undefined
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  let hangUp = (): void => undefined
  const ended = runCollect(argv, {
    out: (line) => said.push(line),
    err: (line) => said.push(line),
    clock: systemClock,
    platform: process.platform,
    env: { OWN_BEARER: 'own-bearer' },
    untilStopped: () => stopped,
    onHangUp: (run) => {
      hangUp = run
      return () => (hangUp = () => undefined)
    },
  })
  onTestFinished(async () => {
    stop()
    await ended
  })
  const url = async (): Promise<string> => {
    await Promise.race([vi.waitFor(() => expect(said).toContain('Metrics:'), 10_000), ended])
    return said[said.indexOf('Metrics:') + 1] ?? ''
  }
  return { said, stop: () => stop(), ended, url, hangUp: () => hangUp() }
}
