import { METRICS } from '#metrics/metrics.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { writtenTimestamp, type ReadAs } from '#record/field.ts'
import { badFields } from '#metrics/answer.ts'
import { readStatusRecord, RECORD_MEMBERS } from '#metrics/status-record.ts'
import { isAll } from '#test/fuzz/random.ts'
import { valueOf } from '#test/support/value-of.ts'

const GOOD = {
  node_id: '0x7f3a',
  status: 'ACTIVE',
  stake_deployed: 1_250_000,
  network_participation: 0.9842,
  threat_responses_executed: 1_204_882,
  last_heartbeat: 1_795_183_351,
  cryptographic_proof: '0x9c41',
}

/** `raw` replaces one member by this JSON text. */
const read = (name?: string, raw?: string) => {
  const members = Object.entries(GOOD).flatMap(([key, value]) =>
    key === name ? (raw === undefined ? [] : [`"${key}":${raw}`]) : [`"${key}":${JSON.stringify(value)}`],
  )
  const json = valueOf(parseJsonRecord(`{${members.join(',')}}`))
  return readStatusRecord(json, METRICS)
}

it('a complete record is read', () => {
  expect(read()).toEqual({
    nodeId: ok('0x7f3a'),
    status: ok('ACTIVE'),
    stake: ok({ text: '1250000', value: 1_250_000 }),
    participation: ok({ text: '0.9842', value: 0.9842 }),
    threatResponses: ok({ text: '1204882', value: 1_204_882 }),
    heartbeat: ok({ atMs: 1_795_183_351_000, unit: 's' }),
    proof: ok('0x9c41'),
    unknownFields: [],
    extraFields: [],
  })
  expect(badFields(read(), METRICS)).toEqual([])
})

describe('an unusable field', () => {
  it.each(RECORD_MEMBERS)('%s, if missing, leaves the others usable', (name) => {
    const record = read(name)
    expect(badFields(record, METRICS)).toMatchObject([{ field: name, problem: 'missing' }])
  })

  it.each([
    ['node_id', '7', 'wrong-type'],
    ['node_id', '""', 'wrong-type'],
    ['node_id', JSON.stringify('0'.repeat(257)), 'too-long'],
    ['status', '7', 'wrong-type'],
    ['status', 'null', 'wrong-type'],
    ['status', '{}', 'wrong-type'],
    ['status', '""', 'wrong-type'],
    ['stake_deployed', '"1250000"', 'wrong-type'],
    ['stake_deployed', '-1', 'negative'],
    ['stake_deployed', '-0.5', 'negative'],
    ['stake_deployed', '1e400', 'not-finite'],
    ['stake_deployed', '-1e400', 'not-finite'],
    ['stake_deployed', '1e79', 'out-of-range'],
    ['stake_deployed', '1.1e30', 'out-of-range'],
    ['network_participation', '"0.98"', 'wrong-type'],
    ['network_participation', '-0.1', 'negative'],
    ['network_participation', '"NaN"', 'wrong-type'],
    ['threat_responses_executed', '1.5', 'not-whole'],
    ['threat_responses_executed', '-5', 'negative'],
    ['threat_responses_executed', '1e19', 'out-of-range'],
    ['threat_responses_executed', 'true', 'wrong-type'],
    ['last_heartbeat', '0', 'out-of-range'],
    ['last_heartbeat', '-5', 'negative'],
    ['last_heartbeat', '1795183351.5', 'not-whole'],
    ['last_heartbeat', '"1795183351"', 'wrong-type'],
    ['last_heartbeat', '8.7e21', 'out-of-range'],
    ['cryptographic_proof', '7', 'wrong-type'],
    ['cryptographic_proof', '"9c41"', 'not-hex'],
    ['cryptographic_proof', '"0x9c4g"', 'not-hex'],
    ['cryptographic_proof', JSON.stringify(`0x${'a'.repeat(65_536)}`), 'too-long'],
  ] as const)('%s %s is %s', (key, raw, problem) => {
    expect(badFields(read(key, raw), METRICS)).toMatchObject([{ field: key, problem }])
  })
})

describe('the value of a field', () => {
  it('an amount beyond 2^53 is exact', () => {
    const stake = read('stake_deployed', '9007199254740993').stake
    expect(stake.ok && stake.value.text).toBe('9007199254740993')
  })

  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['1e-400', '0'],
    ['1e30', `1${'0'.repeat(30)}`],
  ])('stake %s reads as %s', (raw, text) => {
    const stake = read('stake_deployed', raw).stake
    expect(stake.ok && stake.value.text).toBe(text)
  })

  it('a status is cut after 64 whole characters, with its length appended', () => {
    const status = read('status', JSON.stringify('😀'.repeat(70))).status
    expect(status.ok && status.value).toBe(`${'😀'.repeat(64)}… (70 characters)`)
    const short = read('status', JSON.stringify('x'.repeat(64))).status
    expect(short.ok && short.value).toHaveLength(64)
  })

  it('a status is kept as it is, without trimming or case folding', () => {
    for (const word of ['active', ' ACTIVE', 'ACT\u202eIVE', 'ACTІVE']) {
      const { status } = read('status', JSON.stringify(word))
      expect(status.ok && status.value).toBe(word)
    }
  })

  it('a heartbeat too large for seconds is read as milliseconds', () => {
    const heartbeat = (written: string) => read('last_heartbeat', written).heartbeat
    expect(heartbeat('1795183351123')).toEqual(ok({ atMs: 1_795_183_351_123, unit: 'ms' }))
    expect(heartbeat('99999999999')).toEqual(ok({ atMs: 99_999_999_999_000, unit: 's' }))
    expect(heartbeat('100000000000')).toEqual(ok({ atMs: 100_000_000_000, unit: 'ms' }))
  })

  it.each([
    ['1795183351', 's', 1_795_183_351_000],
    ['1795183351123', 'ms', 1_795_183_351_123],
    ['1795183351123456', 'us', 1_795_183_351_123],
    ['1795183351123456789', 'ns', 1_795_183_351_123],
  ])('a heartbeat of %s is read as %s and kept as written', (written, unit, atMs) => {
    const { heartbeat } = read('last_heartbeat', written)
    expect(heartbeat).toMatchObject(ok({ atMs, unit }))
    expect(heartbeat.ok && writtenTimestamp(heartbeat.value)).toBe(written)
  })

  it('a proof over 1,024 characters is cut, and its length and fingerprint keep it distinct', () => {
    const proofOf = (digits: string) => {
      const { proof } = read('cryptographic_proof', JSON.stringify(`0x${digits}`))
      return proof.ok ? proof.value : proof.error
    }
    expect(proofOf('a'.repeat(1_022))).toBe(`0x${'a'.repeat(1_022)}`)
    const long = 'aB'.repeat(2_000)
    expect(proofOf(long).slice(0, 1_024)).toBe(`0x${long}`.slice(0, 1_024))
    expect(proofOf(long).slice(1_024)).toMatch(/^… \(4,002 characters, fingerprint [\da-f]{16}\)$/)
    expect(proofOf(long)).not.toBe(proofOf(`${long.slice(0, -1)}c`))
    expect(proofOf(long)).toBe(proofOf(long))
  })

  it('at most 16 unknown members are named', () => {
    const extra = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`extra_${i}`, i]))
    const json = valueOf(parseJsonRecord(JSON.stringify({ ...GOOD, ...extra })))
    const record = readStatusRecord(json, METRICS)
    expect(record.unknownFields).toHaveLength(16)
    expect(record.unknownFields[0]).toBe('extra_0')
  })

  it('long names of unknown members are cut and stay distinct', () => {
    const names = ['a', 'b'].map((end) => 'x'.repeat(5_000) + end)
    const json = valueOf(
      parseJsonRecord(JSON.stringify({ ...GOOD, ...Object.fromEntries(names.map((name) => [name, 1])) })),
    )
    const { unknownFields } = readStatusRecord(json, METRICS)
    expect(new Set(unknownFields).size).toBe(2)
    for (const name of unknownFields) expect(name.length).toBeLessThan(140)
  })
})

describe('the operator’s settings for the record', () => {
  const readAs = (body: object, as: Partial<ReadAs>) => {
    const json = valueOf(parseJsonRecord(JSON.stringify({ ...GOOD, ...body })))
    return readStatusRecord(json, METRICS, { heartbeat: 'detect', extraFields: [], ...as })
  }

  it.each([
    [99_999_999_999, 'detect', 99_999_999_999_000, 's'],
    [100_000_000_000, 'detect', 100_000_000_000, 'ms'],
    [1_795_183_351, 'ms', 1_795_183_351, 'ms'],
    [100_000_000_000, 's', 100_000_000_000_000, 's'],
    [8_640_000_000_000, 's', 8_640_000_000_000_000, 's'],
  ] as const)('read a heartbeat of %i as %s', (value, heartbeat, atMs, unit) => {
    expect(readAs({ last_heartbeat: value }, { heartbeat }).heartbeat).toEqual(ok({ atMs, unit }))
  })

  it('show the chosen fields as written, except missing ones and metrics', () => {
    const { extraFields } = readAs(
      { region: 'eu', peers: 12.5, nested: { a: [1] }, off: false, gone: null },
      { extraFields: ['peers', 'region', 'nested', 'off', 'gone', 'missing', 'status', '__proto__'] },
    )
    expect(extraFields).toEqual([
      { name: 'peers', valueText: '12.5' },
      { name: 'region', valueText: '"eu"' },
      { name: 'nested', valueText: '{"a":[1]}' },
      { name: 'off', valueText: 'false' },
      { name: 'gone', valueText: 'null' },
    ])
  })

  it('cut a long field at 120 characters and keep every digit of a large number', () => {
    const long = readAs({ long: '😀'.repeat(500) }, { extraFields: ['long'] }).extraFields[0]?.valueText
    // 500 characters plus the quotes of JSON
    expect(long).toBe(`"${'😀'.repeat(119)}… (502 characters)`)
    const json = valueOf(parseJsonRecord('{"big":12345678901234567890}'))
    expect(
      readStatusRecord(json, METRICS, { heartbeat: 'detect', extraFields: ['big'] }).extraFields,
    ).toEqual([{ name: 'big', valueText: '12345678901234567890' }])
  })
})

it('no object makes the reader throw or yield a number that is not finite', () => {
  const value = fc.oneof(fc.jsonValue(), fc.double(), fc.string())
  const member = fc.constantFrom(...RECORD_MEMBERS, '__proto__', 'constructor')
  fc.assert(
    fc.property(fc.dictionary(member, value), (object) => {
      const json = parseJsonRecord(JSON.stringify(object))
      if (!json.ok) return
      const record = readStatusRecord(json.value, METRICS)
      for (const amount of [record.stake, record.participation, record.threatResponses])
        if (amount.ok) expect(Number.isFinite(amount.value.value) && amount.value.value >= 0).toBe(true)
      if (record.heartbeat.ok)
        expect(new Date(record.heartbeat.value.atMs).getTime()).toBe(record.heartbeat.value.atMs)
    }),
    { numRuns: isAll() ? 1_000 : 200 },
  )
})
