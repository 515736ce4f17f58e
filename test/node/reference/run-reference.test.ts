import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ReferenceOptions } from '#reference/options.ts'
import { openReference, runReference as runCommand } from '#reference/run-reference.ts'
import { BENCH_FAULTS } from '#test/support/bench-faults.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { send, testKey } from './client.ts'
import { runReference } from './running.ts'

async function run(
  argv: readonly string[],
  untilStopped: (lines: readonly string[]) => Promise<void> = () => Promise.resolve(),
) {
  const out: string[] = []
  const errors: string[] = []
  const started = withResolvers()
  const code = await runCommand(argv, {
    out: (line) => {
      out.push(line)
      // The token is the last line.
      if (out.at(-2) === 'Control token:') started.resolve()
    },
    err: (line) => errors.push(line),
    untilStopped: async () => {
      await started.promise
      await untilStopped(out)
    },
    clock: { wallMs: () => 0 },
    faultTable: BENCH_FAULTS,
  })
  return { code, out, errors }
}

const FREE = ['--port', '0', '--keys', '/nowhere/keys.txt']

describe('the reference command', () => {
  it('prints each URL on its own line, serves until it is stopped and exits with 0', async () => {
    let answered = 0
    const { code, out } = await run(
      [...FREE, '--control-token', 'secret-of-mine', '--nodes', '3'],
      async (lines) => {
        const control = lines[3] ?? ''
        const reply = await send(`${control}nodes`, 'GET', { Authorization: 'Bearer secret-of-mine' })
        expect(reply.json()).toMatchObject({ total: 3 })
        answered = (await send(lines[1] ?? '')).status
      },
    )
    expect([code, answered]).toEqual([0, 404])
    await expect(send(out[1] ?? '')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(out).toEqual([
      'Reference service (demo nodes):',
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      'Reference control:',
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      'Control token:',
      'secret-of-mine',
    ])
  })

  it('says which port is in use', async () => {
    const { baseUrl } = await runReference()
    const { port } = new URL(baseUrl)
    const { code, errors } = await run([...FREE, '--port', port])
    expect([code, errors.at(-1)]).toEqual([1, expect.stringContaining(`Port ${port} `)])
  })

  it('adds a key to a file, prints its line and counts --not-after from now', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'keys.txt')
    const add = ['keys', 'add', testKey(1).hex, '--keys', file, '--not-after', '90d']
    const line = `${testKey(1).hex} nodes=* not-after=1970-04-01T00:00:00.000Z`
    expect(await run(add)).toEqual({ code: 0, out: [`Added to ${file}:\n${line}`], errors: [] })
    expect(readFileSync(file, 'utf8')).toContain(`\n${line}\n`)
    expect(await run(add)).toEqual({
      code: 1,
      out: [],
      errors: [`The key is already in ${file}. Change or remove its line there.`],
    })
  })

  it('reports a missing keys file', async () => {
    const { errors } = await run(FREE)
    expect(errors).toEqual(['keys: /nowhere/keys.txt does not exist. No key from it is registered.'])
  })
})

describe('a start that fails', () => {
  it('for a reason that the user can fix returns one line', async () => {
    const taken = new URL((await runReference()).baseUrl).port
    const line = (options: ReferenceOptions) => openReference(options, '--reference-port')
    expect(await line({ port: Number(taken) })).toEqual({
      ok: false,
      error: `Port ${taken} is in use. Choose another with --reference-port P, where 0 picks a free one.`,
    })
    expect(await line({ host: '192.0.2.7' })).toEqual({
      ok: false,
      error: 'This computer has no address "192.0.2.7". Choose another with --host H.',
    })
    expect(await line({ controlToken: 'short' })).toEqual({
      ok: false,
      error: 'The control token must have at least 8 characters and no spaces.',
    })
  })

  it('for any other reason throws', async () => {
    await expect(openReference({ origins: ['no URL'] }, '--port')).rejects.toThrow(TypeError)
  })
})
