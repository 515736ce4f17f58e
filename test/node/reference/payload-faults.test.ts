import { createHash } from 'node:crypto'
import { constants, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { FaultUse } from '#reference/fault.ts'
import { damaged, PAYLOAD_FAULTS } from '#reference/payload-faults.ts'
import type { Answer } from '#reference/problem.ts'

type Name = keyof typeof PAYLOAD_FAULTS

const JSON_TEXT = '{"status":"ACTIVE","network_participation":0.98,"last_heartbeat":17}'

const used = (value?: FaultUse['value']): FaultUse => ({ value, setAtMs: 0, hits: 1, kept: undefined })
const bytesOf = ({ body = new Uint8Array() }: Partial<Answer>): Buffer =>
  body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat([...body])
const sent = (name: Name, value?: FaultUse['value']): Partial<Answer> =>
  PAYLOAD_FAULTS[name].act({ json: JSON_TEXT, use: used(value), nowMs: 0 })

describe('a body that is no record', () => {
  it.each<[Name, string, FaultUse['value']?]>([
    ['proto-only', '{"__proto__":{"isAdmin":true,"status":"ACTIVE"}}'],
    ['nan', '{"status":"ACTIVE","network_participation":NaN,"last_heartbeat":17}'],
    ['truncated-json', JSON_TEXT.slice(0, 34)],
    ['trailing-bytes', `${JSON_TEXT}\n{"more":true}`],
    ['bom', `\ufeff${JSON_TEXT}`],
    ['null', 'null'],
    ['array', '[]'],
    ['string', '"ACTIVE"'],
    ['deep', '[[[]]]', 3],
    ['padding', JSON_TEXT, 0],
    ['padding', `   ${JSON_TEXT}`, 3],
    ['padding', `${' '.repeat(65_536)}${JSON_TEXT}`, 65_536],
    ['padding', `${' '.repeat(65_537)}${JSON_TEXT}`, 65_537],
    ['big-body', '['.repeat(131_073), 131_073],
  ])('%s', (name, text, value) => {
    const change = sent(name, value)
    expect(Object.keys(change)).toEqual(['body'])
    expect(bytesOf(change).toString('utf8')).toBe(text)
  })

  it('nan as the last member', () => {
    const json = '{"network_participation":0.5}'
    const change = PAYLOAD_FAULTS.nan.act({ json, use: used(), nowMs: 0 })
    expect(bytesOf(change).toString('utf8')).toBe('{"network_participation":NaN}')
  })

  it('in UTF-16, with a mark of its order', () => {
    const bytes = bytesOf(sent('utf-16'))
    expect(bytes.toString('utf16le')).toBe(`\ufeff${JSON_TEXT}`)
  })

  it('as a part of itself, though it is whole', () => {
    expect(sent('status-206')).toEqual({ status: 206, headers: { 'Content-Range': 'bytes 0-99/200' } })
  })

  it.each<readonly [Name, string]>([
    ['bad-gzip', 'gzip'],
    ['wrong-encoding', 'zstd'],
  ])('under an encoding that it does not have: %s', (name, encoding) => {
    const change = sent(name)
    expect(change.headers).toEqual({ 'Content-Encoding': encoding })
    expect(bytesOf(change).toString('utf8')).toBe(JSON_TEXT)
  })

  it.each([
    [2 ** 20, 2 ** 20],
    [2 ** 20 + 1, 2 ** 21],
  ])('that unpacks to more than it is, in whole mebibytes, without an end: %d to %d', (bytes, whole) => {
    const change = sent('gzip-bomb', bytes)
    expect(change.headers).toEqual({ 'Content-Encoding': 'gzip' })
    const packed = bytesOf(change)
    expect([...packed.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
    expect(packed.length).toBeLessThan(5_000)
    expect(() => gunzipSync(packed)).toThrow('unexpected end of file')
    const unpacked = gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH })
    expect([unpacked.length, unpacked.every((byte) => byte === 0x20)]).toEqual([whole, true])
  })

  it('that is the same for ever, with its age in whole seconds', () => {
    const use = used()
    const at = (nowMs: number, json: string) => {
      const change = PAYLOAD_FAULTS.cached.act({ json, use, nowMs })
      return [change.headers, bytesOf(change).toString('utf8')]
    }
    expect(at(5_000, 'first')).toEqual([{ Age: '0' }, 'first'])
    expect(at(94_999, 'second')).toEqual([{ Age: '89' }, 'first'])
    expect(at(95_000, 'third')).toEqual([{ Age: '90' }, 'first'])
  })
})

describe('random damage', () => {
  const TEXT = 'abcdefghijklmnopqrstuvwxyz'.repeat(4)
  const turns = (seed: number): readonly string[] =>
    Array.from({ length: 400 }, (_, turn) => damaged(TEXT, seed, turn))

  it('is the same for the same seed and turn, and another for any other', () => {
    expect(turns(1)).toEqual(turns(1))
    expect(new Set([...turns(1), ...turns(2)]).size).toBeGreaterThan(700)
  })

  it('stays what it is from version to version', () => {
    expect(
      createHash('sha256')
        .update(JSON.stringify(turns(1)))
        .digest('hex'),
    ).toBe('7ae9423aa0ed09b8ea2c15576b8deac7eea3d6d4f64661a28984de0c197675fd')
  })

  it('is what the fault does, by its seed and the number of the request', () => {
    const fuzz = (hits: number): string =>
      bytesOf(PAYLOAD_FAULTS.fuzz.act({ json: TEXT, use: { ...used(7), hits }, nowMs: 0 })).toString('utf8')
    expect([fuzz(1), fuzz(2)]).toEqual([damaged(TEXT, 7, 1), damaged(TEXT, 7, 2)])
  })

  it('takes out, puts in and repeats a little, one to four times', () => {
    const texts = turns(3)
    const lengths = texts.map((text) => text.length - TEXT.length)
    // Four times eleven letters less, or three times eleven more.
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(-44)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(132)
    const isShorter = lengths.filter((length) => length < 0).length
    const isLonger = lengths.filter((length) => length > 0).length
    expect([isShorter > 80, isLonger > 120]).toEqual([true, true])
  })

  it('brings what breaks JSON', () => {
    const all = turns(4).join('')
    for (const snippet of [
      '"',
      '{',
      '}',
      ',',
      ':',
      'null',
      '-',
      '1e999',
      '\\u0000',
      '\u202e',
      '[',
      '0',
      'true',
    ])
      expect(all, snippet).toContain(snippet)
    expect(all).not.toContain('undefined')
  })

  it('finds nothing to take out of nothing', () => {
    expect(damaged('', 1, 1).length).toBeLessThanOrEqual(24)
  })
})
