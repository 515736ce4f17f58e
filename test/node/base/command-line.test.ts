import { describe, expect, it } from 'vitest'
import { COLLECT_COMMAND } from '#collector/collect-options.ts'
import { helpOf, runNamed, runParsed, type Runnable, listenProblem } from '#node/command-line.ts'
import { PROBE_COMMAND } from '#probe/probe-options.ts'
import { KEYS_COMMAND, referenceCommand } from '#reference/reference-options.ts'
import { BENCH_FAULTS } from '#test/support/bench-faults.ts'
import { HASH_COMMAND } from '#server/password-file.ts'
import { DEV_COMMAND, SERVE_COMMAND, START_COMMAND } from '#server/serve-options.ts'

const REFERENCE_COMMAND = referenceCommand(BENCH_FAULTS)

function terminal() {
  const out: string[] = []
  const said: string[] = []
  return {
    out,
    said,
    output: { out: (line: string) => out.push(line), err: (line: string) => said.push(line) },
  }
}

const HELPS = {
  start: helpOf(START_COMMAND),
  serve: helpOf(SERVE_COMMAND),
  dev: helpOf(DEV_COMMAND),
  collect: helpOf(COLLECT_COMMAND),
  probe: helpOf(PROBE_COMMAND),
  reference: helpOf(REFERENCE_COMMAND),
  'reference keys': helpOf(KEYS_COMMAND),
  'hash-password': helpOf(HASH_COMMAND),
}

describe('the help of a command', () => {
  it.each(Object.entries(HELPS))(
    '%s states purpose and usage, in lines of at most 120 characters',
    (name, help) => {
      expect(help).toMatch(new RegExp(`^${name}: .+\n\nUsage: ${name}`))
      expect(help.split('\n').filter((line) => line.length > 120 && !line.startsWith('SOURCE'))).toEqual([])
    },
  )

  it.each([
    ['start', START_COMMAND.options],
    ['serve', SERVE_COMMAND.options],
    ['collect', COLLECT_COMMAND.options],
    ['reference', REFERENCE_COMMAND.options],
  ] as const)('%s lists every option it accepts', (name, options) => {
    const listed = [...HELPS[name].matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag = '']) => flag)
    const known = Object.keys(options).map((key) =>
      key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    )
    expect(listed.toSorted()).toEqual(known.toSorted())
  })

  it('shows the default and the placeholder of a value', () => {
    expect(HELPS.start).toMatch(/^ {2}--port P +port for the dashboard; 0 picks a free one \(7420\)$/m)
    expect(HELPS.start).toContain('port for the reference service; 0 picks a free one (7421)')
    expect(HELPS.serve).not.toContain('--nodes')
  })

  it('is printed for -h even if another option is invalid', async () => {
    const { out, said, output } = terminal()
    const run = () => Promise.reject(new Error('ran'))
    expect(await runParsed(SERVE_COMMAND, ['--port', 'x', '-h'], output, run)).toBe(0)
    expect([out, said]).toEqual([[HELPS.serve], []])
  })
})

describe('the first word of a command line', () => {
  const given: unknown[] = []
  const command = (code: number): Runnable => [
    `ends with ${code}`,
    (argv) => {
      given.push(argv)
      return Promise.resolve(code)
    },
  ]
  const commands = { one: command(3), 'two-words': command(4) }

  it.each([[[]], [['help']], [['--help']], [['-h']]])('%j lists the commands', async (argv) => {
    const { out, output } = terminal()
    expect(await runNamed(argv, commands, '1.2.3', output)).toBe(0)
    expect(out.join()).toMatch(
      /^immune-node-dashboard: .*\n\nUsage: .*\n\nCommands\n {2}one +ends with 3\n {2}two-words/,
    )
  })

  it.each(['version', '--version', '-v'])('%s prints the version', async (word) => {
    const { out, output } = terminal()
    expect([await runNamed([word], commands, '1.2.3', output), out]).toEqual([0, ['1.2.3']])
  })

  it('selects the command, which receives the other words and sets the exit code', async () => {
    const { output } = terminal()
    expect(await runNamed(['two-words', '--help', 'x'], commands, '', output)).toBe(4)
    expect(given).toEqual([['--help', 'x']])
  })

  it.each(['tow', 'toString'])('%s is rejected with a list of the commands', async (word) => {
    const { out, said, output } = terminal()
    expect(await runNamed([word], commands, '', output)).toBe(1)
    expect([out, said]).toEqual([[], [`Unknown command "${word}". Commands: one, two-words. See --help.`]])
  })
})

it.each([
  ['EADDRINUSE', 'Port 80 is in use. Choose another with --port P, where 0 picks a free one.'],
  ['EACCES', 'This user is not allowed to bind port 80. Choose one above 1023 with --port P.'],
  ['EADDRNOTAVAIL', 'This computer has no address "a". Choose another with --host H.'],
  ['ENOTFOUND', 'This computer has no address "a". Choose another with --host H.'],
  ['EAI_AGAIN', 'This computer has no address "a". Choose another with --host H.'],
  ['EIO', undefined],
])('the message for listen error %s names the option that avoids it, if there is one', (code, line) =>
  expect(listenProblem(Object.assign(new Error('x'), { code }), { host: 'a', port: 80 })).toBe(line),
)
