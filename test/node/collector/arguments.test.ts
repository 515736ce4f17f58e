import { describe, expect, it } from 'vitest'
import { parseCollectCommand } from '#collector/arguments.ts'
import { isOfShard } from '#collector/collector.ts'

const parsed = (...argv: string[]) => parseCollectCommand(['--config', 'c.json', ...argv])

describe('flags of collect', () => {
  it('have defaults that only this computer can use', () => {
    expect(parsed()).toEqual({
      ok: true,
      value: {
        kind: 'collect',
        collect: {
          configFile: 'c.json',
          keys: [],
          passphrase: undefined,
          tokens: new Map(),
          host: '127.0.0.1',
          port: 7_422,
          bearer: undefined,
          inFlightMax: 64,
          shard: undefined,
        },
      },
    })
    expect(parseCollectCommand(['--help'])).toEqual({ ok: true, value: { kind: 'help' } })
  })

  it.each([
    [[], '--config FILE'],
    [['--config', ''], '--config FILE'],
    [['--config', 'c', '--host', '0.0.0.0'], '--bearer SOURCE'],
    [['--config', 'c', '--host', 'a/b'], '--host takes'],
    [['--config', 'c', '--bearer', 'b', '--public'], 'one of --bearer and --public'],
    [['--config', 'c', '--port', '65536'], '--port takes a whole number'],
    [['--config', 'c', '--in-flight', '0'], '--in-flight takes'],
    [['--config', 'c', '--shard', '0/2'], '--shard takes'],
    [['--config', 'c', '--shard', '3/2'], '--shard takes'],
    [['--config', 'c', '--shard', '1/1001'], '--shard takes'],
    [['--config', 'c', '--token', 'secret'], '--token takes'],
    [['--print', 'all'], '--print takes one of: rules, grafana.'],
    [['--config', 'c', '--nonsense'], 'collect --help'],
  ])('%j: says what to change', (argv, words) => {
    const command = parseCollectCommand(argv)
    expect(command.ok ? '' : command.error).toContain(words)
  })

  it('open the metrics to others with a bearer, or to everybody when told so', () => {
    expect(parsed('--host', '0.0.0.0', '--bearer', 'env:B')).toMatchObject({ ok: true })
    expect(parsed('--host', '[::]', '--public')).toMatchObject({
      ok: true,
      value: { collect: { host: '::' } },
    })
  })

  it('name a token by service', () => {
    const command = parsed('--token', 'https://a.example/x=/run/a=b', '--token', 'https://b.example=env:B')
    expect(command).toMatchObject({
      value: {
        collect: {
          tokens: new Map([
            ['https://a.example/x', '/run/a=b'],
            ['https://b.example', 'env:B'],
          ]),
        },
      },
    })
  })
})

describe('shards', () => {
  const ids = Array.from({ length: 4_000 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)

  it('hold each node once, in parts of about the same size, whatever its letters’ case', () => {
    const parts = [1, 2, 3, 4].map((part) => ids.filter((id) => isOfShard(id, { part, of: 4 })))
    expect(parts.flat().toSorted()).toEqual(ids)
    for (const part of parts) expect(Math.abs(part.length - 1_000)).toBeLessThan(150)
    for (const id of ids.slice(0, 100))
      expect(isOfShard(id.toUpperCase().replace('0X', '0x'), { part: 1, of: 4 })).toBe(
        isOfShard(id, { part: 1, of: 4 }),
      )
  })

  it('have a node without an id in the first, and everything without a shard', () => {
    expect([1, 2].map((part) => isOfShard(undefined, { part, of: 2 }))).toEqual([true, false])
    expect(isOfShard('0x1', undefined)).toBe(true)
  })
})
