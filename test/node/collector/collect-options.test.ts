import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { COLLECT_COMMAND } from '#collector/collect-options.ts'
import { isOfShard } from '#collector/collector.ts'
import { parseCommand } from '#node/command-line.ts'
import { valueOf } from '#test/support/value-of.ts'

const parseCollectCommand = (argv: readonly string[]) => parseCommand(COLLECT_COMMAND, argv)

const SHARDS = '--shard takes PART/OF, such as 1/4 for the first of four collectors, with at most 1000 parts.'

const parsed = (...argv: string[]) => parseCollectCommand(['--config', 'c.json', ...argv])

describe('flags of collect', () => {
  it('default to metrics that only this computer can read', () => {
    expect(valueOf(parsed())).toMatchObject({
      kind: 'collect',
      collect: {
        config: 'c.json',
        key: [],
        passphrase: undefined,
        token: [],
        host: '127.0.0.1',
        port: 7_422,
        bearer: undefined,
        inFlight: 64,
        shard: undefined,
      },
    })
    expect(parseCollectCommand(['--help'])).toEqual(ok(undefined))
    expect(parseCollectCommand(['-h', '--print', 'all'])).toEqual(ok(undefined))
  })

  it('override the defaults', () => {
    const secrets = ['--passphrase', 'env:P', '--bearer', 'env:B']
    const keys = ['--key', 'a.pem', '--key', 'b.pem']
    const numbers = ['--port', '0', '--in-flight', '1000', '--shard', '2/1000']
    expect(valueOf(parsed(...keys, ...secrets, ...numbers, '--host', 'wall.example'))).toMatchObject({
      kind: 'collect',
      collect: {
        config: 'c.json',
        key: ['a.pem', 'b.pem'],
        passphrase: 'env:P',
        token: [],
        host: 'wall.example',
        port: 0,
        bearer: 'env:B',
        inFlight: 1_000,
        shard: { part: 2, of: 1_000 },
      },
    })
  })

  it('print rules or a dashboard, with or without a file', () => {
    const rules = parseCollectCommand(['--print', 'rules'])
    expect(rules).toEqual(ok({ kind: 'print', what: 'rules', config: undefined }))
    expect(parsed('--print', 'grafana')).toEqual(ok({ kind: 'print', what: 'grafana', config: 'c.json' }))
  })

  it.each([
    ['--port', '65535', true],
    ['--port', '1e3', false],
    ['--port', '', false],
    ['--port', '80x', false],
    ['--port', 'x80', false],
    ['--port', '0000000080', false],
    ['--in-flight', '1', true],
    ['--in-flight', '1000', true],
    ['--in-flight', '1001', false],
    ['--shard', '1/1', true],
    ['--shard', '4/4', true],
    ['--shard', '1/4x', false],
    ['--shard', 'x1/4', false],
    ['--shard', '00001/4', false],
    ['--shard', '1/00004', false],
    ['--token', 'https://a.example=env:A', true],
    ['--token', 'HTTPS://A.example=env:A', true],
    ['--token', 'http://a.example= env:A', false],
    ['--token', 'ftp://a.example=env:A', false],
    ['--token', 'see https://a.example=env:A', false],
    ['--token', 'https://a .example=env:A', false],
    ['--token', 'https://a.example=', false],
    ['--token', '=env:A', false],
    ['--host', 'localhost', true],
    ['--host', '[::1]', true],
    ['--host', '192.0.2.1', false],
  ])('accept %s %j: %s', (flag, value, isTaken) => {
    expect(parsed(flag, value).ok).toBe(isTaken)
  })

  it.each([
    [[], 'collect requires --config FILE, with the services and nodes to poll. See collect --help.'],
    [['--config', ''], '--config needs a value.'],
    [
      ['--config', 'c', '--host', '0.0.0.0'],
      'Others could read the whole fleet at this address. Use --bearer SOURCE, which Prometheus sends from its credentials_file, or --public.',
    ],
    [
      ['--config', 'c', '--host', 'a/b'],
      '--host takes a host name or an address without scheme or port, such as 127.0.0.1.',
    ],
    [['--config', 'c', '--bearer', 'b', '--public'], 'Use only one of --bearer and --public.'],
    [['--config', 'c', '--port', '65536'], '--port takes a whole number from 0 to 65535.'],
    [['--config', 'c', '--in-flight', '0'], '--in-flight takes a whole number from 1 to 1000.'],
    [['--config', 'c', '--shard', '0/2'], SHARDS],
    [['--config', 'c', '--shard', '3/2'], SHARDS],
    [['--config', 'c', '--shard', '1/1001'], SHARDS],
    [
      ['--config', 'c', '--token', 'secret'],
      '--token takes URL=SOURCE: the base URL of a service, and the source of its token.',
    ],
    [['--print', 'all'], '--print takes one of: rules, grafana.'],
    [['--config', 'c', '--nonsense'], "Unknown option '--nonsense'. See collect --help."],
    [
      ['--config', 'c', 'more'],
      expect.stringMatching(/^Unexpected argument 'more'.*\. See collect --help\.$/),
    ],
    [['--port'], "Option '--port <value>' argument missing. See collect --help."],
  ])('%j fail with a message that says what to change', (argv, words) => {
    expect(parseCollectCommand(argv)).toEqual(err(words))
  })

  it('allow a host other than loopback with --bearer or --public', () => {
    expect(parsed('--host', '0.0.0.0', '--bearer', 'env:B')).toMatchObject({ ok: true })
    expect(parsed('--host', '[::]', '--public')).toMatchObject(ok({ collect: { host: '::' } }))
  })

  it('split --token at its first "=" into service and source', () => {
    const command = parsed('--token', 'https://a.example/x=/run/a=b', '--token', 'https://b.example=env:B')
    expect(command).toMatchObject({
      value: {
        collect: {
          token: [
            ['https://a.example/x', '/run/a=b'],
            ['https://b.example', 'env:B'],
          ],
        },
      },
    })
  })
})

describe('shards', () => {
  const ids = Array.from({ length: 4_000 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)

  it('contain each node once, are about equal in size and ignore the case of ids', () => {
    const parts = [1, 2, 3, 4].map((part) => ids.filter((id) => isOfShard(id, { part, of: 4 })))
    expect(parts.flat().toSorted()).toEqual(ids)
    for (const part of parts) expect(Math.abs(part.length - 1_000)).toBeLessThan(150)
    for (const id of ids.slice(0, 100))
      expect(isOfShard(id.toUpperCase().replace('0X', '0x'), { part: 1, of: 4 })).toBe(
        isOfShard(id, { part: 1, of: 4 }),
      )
  })

  it('put a node without an id in shard 1, and every node in one shard without --shard', () => {
    expect([1, 2].map((part) => isOfShard(undefined, { part, of: 2 }))).toEqual([true, false])
    expect(isOfShard('0x1', undefined)).toBe(true)
  })
})
