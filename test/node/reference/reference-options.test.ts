import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { parseCommand } from '#node/command-line.ts'
import { KEYS_COMMAND, readProfile, referenceCommand } from '#reference/reference-options.ts'
import { BENCH_FAULTS } from '#test/support/bench-faults.ts'
import { PROFILES } from '#signing/presets.ts'
import { temporaryFile } from '#test/support/temporary-file.ts'
import { valueOf } from '#test/support/value-of.ts'

const parseReferenceCommand = (argv: readonly string[]) =>
  argv[0] === 'keys'
    ? parseCommand(KEYS_COMMAND, argv.slice(1))
    : parseCommand(referenceCommand(BENCH_FAULTS), argv)

const DEFAULTS = {
  host: '127.0.0.1',
  port: 7421,
  controlPort: 0,
  nodes: 12,
  keysFile: 'reference-keys.txt',
  enroll: false,
  origins: [],
  faults: [],
  faultTable: BENCH_FAULTS,
}
const KEY = 'ab'.repeat(32)

describe('the flags of the service', () => {
  const optionsOf = (...argv: string[]): unknown =>
    valueOf<unknown, string>(parseReferenceCommand(argv)) ?? 'help'

  it('have their defaults', () => {
    expect(optionsOf()).toEqual(DEFAULTS)
  })

  it.each<readonly [readonly string[], object]>([
    [['--host', 'wall.example'], { host: 'wall.example' }],
    [['--host', '[::1]'], { host: '::1' }],
    [['--host', '::'], { host: '::' }],
    [['--host', 'a[b]c'], { host: 'a[b]c' }],
    [['--host', 'a[b]'], { host: 'a[b]' }],
    [['--host', '[b]c'], { host: '[b]c' }],
    [['--port', '0'], { port: 0 }],
    [['--port', '65535'], { port: 65_535 }],
    [['--control-port', '9'], { controlPort: 9 }],
    [['--control-token', 'secret of mine'], { controlToken: 'secret of mine' }],
    [['--nodes', '1'], { nodes: 1 }],
    [['--nodes', '100000'], { nodes: 100_000 }],
    [['--seed', ''], { seed: '' }],
    [['--keys', 'mine.txt'], { keysFile: 'mine.txt' }],
    [['--enroll'], { enroll: true }],
    [['--profile', 'rfc9421'], { profile: { name: 'rfc9421', profile: PROFILES['rfc9421'] } }],
    [
      ['--allow-origin', 'http://localhost:*', '--allow-origin', 'https://wall.example'],
      { allowOrigins: ['http://localhost:*', 'https://wall.example'] },
    ],
    [
      ['--origin', 'https://nodes.example', '--origin', 'http://[::1]:8'],
      { origins: ['https://nodes.example', 'http://[::1]:8'] },
    ],
    [
      ['--fault', 'hang', '--fault=late=5@*', '--chaos', '0.5', '--clock-offset', '7'],
      {
        faults: [
          { node: '*', name: 'hang', value: undefined },
          { node: '*', name: 'late', value: 5 },
          { node: '*', name: 'chaos', value: 0.5 },
          { node: '*', name: 'clock-offset', value: 7 },
        ],
      },
    ],
  ])('set their options: %j', (argv, options) => {
    expect(optionsOf(...argv)).toEqual({ ...DEFAULTS, ...options })
  })

  it('read a token from a file', () => {
    expect(optionsOf('--token-file', temporaryFile('abc\n'))).toEqual({ ...DEFAULTS, token: 'abc' })
  })

  it.each([['--help'], ['-h'], ['--help', '--port', 'x'], ['keys', '--help'], ['keys', 'add', '-h']])(
    'ask for help: %s %s',
    (...argv) => {
      expect(optionsOf(...argv)).toBe('help')
    },
  )

  const NO_ORIGIN = '--origin takes scheme://host[:port] in lower case, such as https://nodes.example.'
  it.each([
    [['--port', '-1'], "Option '--port' argument is ambiguous. See reference --help."],
    [['--port', ''], '--port takes a whole number from 0 to 65535.'],
    [['--port', '1x'], '--port takes a whole number from 0 to 65535.'],
    [['--port', 'x1'], '--port takes a whole number from 0 to 65535.'],
    [['--port', '65536'], '--port takes a whole number from 0 to 65535.'],
    [['--control-port', '65536'], '--control-port takes a whole number from 0 to 65535.'],
    [['--nodes', '0'], '--nodes takes a whole number from 1 to 100000.'],
    [['--nodes', '1e3'], '--nodes takes a whole number from 1 to 100000.'],
    [
      ['--allow-origin', 'http://localhost:*', '--allow-origin', 'localhost'],
      '--allow-origin takes scheme://host[:port] in lower case, such as http://localhost:* or https://wall.example.',
    ],
    [['--origin', 'https://a.example', '--origin', 'https://a.example:*'], NO_ORIGIN],
    [['--origin', 'https://A.example'], NO_ORIGIN],
    [
      ['--profile', '/nowhere/profile.json'],
      '--profile takes one of bearer-v1, bearer-window, jwt-eddsa, rfc9421, wallet-timestamp, timestamp-only, bearer-node-id, or a file with a profile as JSON.',
    ],
    [
      ['--token-file', '/nowhere/token'],
      '--token-file takes a file with 1 to 4096 visible ASCII characters on one line.',
    ],
    [['--fault', 'late=x'], '--fault late=x: "late" takes 0 to 86400000 (ms).'],
    [['--chaos', '2'], '--chaos takes 0 to 1 (rate).'],
    [['--clock-offset', 'x'], '--clock-offset takes -315360000000 to 315360000000 (ms).'],
    [['--verbose'], "Unknown option '--verbose'. See reference --help."],
  ])('are refused with a message of one line: %j', (argv, error) => {
    expect(parseReferenceCommand(argv)).toEqual(err(error))
  })
})

describe('keys add', () => {
  const USAGE =
    'Usage: reference keys add PUBLIC-KEY [--nodes IDS] [--not-after 90d] [--note TEXT] [--keys FILE].'

  it('accepts a key alone or with all its options', () => {
    expect(valueOf<unknown, string>(parseReferenceCommand(['keys', 'add', KEY]))).toEqual({
      file: 'reference-keys.txt',
      key: KEY,
      nodes: undefined,
      notAfter: undefined,
      note: undefined,
    })
    const flags = ['--keys', 'mine.txt', '--nodes', '*', '--not-after', '90d', '--note', 'the wall']
    const all = { file: 'mine.txt', key: KEY, nodes: '*', notAfter: '90d', note: 'the wall' }
    expect(parseReferenceCommand(['keys', 'add', ...flags, KEY])).toEqual(ok(all))
  })

  it.each([[['keys']], [['keys', 'add']], [['keys', 'remove', KEY]], [['keys', 'add', KEY, KEY]]])(
    'prints its usage for %j',
    (argv) => {
      expect(parseReferenceCommand(argv)).toEqual(err(USAGE))
    },
  )
})

const DOCUMENT = { message: { kind: 'template', template: '{ts.s}' }, headers: { A: '{sig.hex}{ts.s}' } }

describe('a profile of the service', () => {
  it.each(Object.keys(PROFILES))('is the preset with the id %s', (id) => {
    expect(readProfile(id)).toEqual(ok({ name: id, profile: PROFILES[id] }))
  })

  it('is read from a file', () => {
    const read = readProfile(temporaryFile(JSON.stringify(DOCUMENT)))
    expect(read).toEqual(ok({ name: 'custom', profile: { v: 1, ...DOCUMENT } }))
  })

  it('is not read from invalid JSON, a missing file or the name of an Object member', () => {
    const error =
      'takes one of bearer-v1, bearer-window, jwt-eddsa, rfc9421, wallet-timestamp, timestamp-only, bearer-node-id, or a file with a profile as JSON.'
    for (const name of [temporaryFile('{'), '/nowhere', '/', '', 'toString', 'constructor'])
      expect(readProfile(name), name).toEqual(err(error))
  })

  it('that is invalid is reported with the path of the error', () => {
    const wrong = (document: object): string => {
      const file = temporaryFile(JSON.stringify(document))
      const read = readProfile(file)
      return read.ok ? '' : read.error.replace(file, 'FILE')
    }
    expect(wrong({ ...DOCUMENT, reuseSeconds: 0 })).toBe('FILE: reuseSeconds: must be at least 1, not 0.')
    expect(wrong({ ...DOCUMENT, headers: { A: '{what}' } })).toBe(
      'FILE: header A: {what} is not a placeholder here.',
    )
  })
})
