import { describe, expect, it } from 'vitest'
import type { FaultValue } from '#reference/fault.ts'
import { MEMBER_FAULTS } from '#reference/member-faults.ts'
import { textToProve, toJson, type Members } from '#reference/record-json.ts'

type Name = keyof typeof MEMBER_FAULTS

const ID = '0a'.repeat(32)
const PROOF = 'f'.repeat(128)
const RECORD = {
  node_id: `"0x${ID}"`,
  status: '"ACTIVE"',
  stake_deployed: '1000000',
  network_participation: '0.9817',
  threat_responses_executed: '412',
  last_heartbeat: '1780315200',
  cryptographic_proof: `"0x${PROOF}"`,
}
const MEMBERS: Members = Object.entries(RECORD)
const MARKUP =
  String.raw`"<img src=x onerror=\"window.__xss=1\"><script>window.__xss=1</script>{{7*7}}` + '${7*7}"'

const changed = (name: Name, value?: FaultValue, members: Members = MEMBERS): Members =>
  MEMBER_FAULTS[name].act(members, { value, setAtMs: 0, hits: 1, kept: undefined })

describe('a record whose members are changed', () => {
  it.each<[Name, Partial<Record<keyof typeof RECORD, string>>, FaultValue?]>([
    [
      'wrong-types',
      {
        node_id: '17',
        status: '{"code":1}',
        stake_deployed: '[1]',
        network_participation: 'true',
        threat_responses_executed: '"many"',
        last_heartbeat: 'null',
        cryptographic_proof: '{}',
      },
    ],
    [
      'numbers-as-text',
      {
        stake_deployed: '"1000000"',
        network_participation: '"0.9817"',
        threat_responses_executed: '"412"',
        last_heartbeat: '"1780315200"',
      },
    ],
    [
      'negative',
      {
        stake_deployed: '-1000000',
        network_participation: '-0.9817',
        threat_responses_executed: '-412',
      },
    ],
    ['percent', { network_participation: '98.17' }],
    ['infinity', { stake_deployed: '1e400' }],
    ['negative-infinity', { stake_deployed: '-1e400' }],
    ['big', { stake_deployed: '9007199254740993' }],
    ['tiny', { network_participation: '1e-400' }],
    ['denormal', { network_participation: '5e-324' }],
    ['negative-zero', { stake_deployed: '-0' }],
    ['nan-text', { network_participation: '"NaN"' }],
    ['heartbeat-ms', { last_heartbeat: '1780315200000' }],
    ['heartbeat-zero', { last_heartbeat: '0' }],
    ['heartbeat-negative', { last_heartbeat: '-86400' }],
    ['heartbeat-fraction', { last_heartbeat: '1780315200.25' }],
    ['heartbeat-text', { last_heartbeat: '"2026-06-01T12:00:00.000Z"' }],
    ['other-node', { node_id: `"0x${'a0'.repeat(32)}"` }],
    ['id-upper-case', { node_id: `"0x${'0A'.repeat(32)}"` }],
    ['id-bare', { node_id: `"${ID}"` }],
    ['proof-short', { cryptographic_proof: '"0xffffffff"' }],
    ['proof-wrong', { cryptographic_proof: `"0x0${'f'.repeat(127)}"` }],
    ['look-alike', { status: String.raw`"ACT\u0406VE"` }],
    ['padded-status', { status: '" active "' }],
    ['bidi', { status: String.raw`"\u202eEVITCA\u202c\u200b\u2066\u0000\ufeff"` }],
    ['surrogate', { status: String.raw`"ACTIVE\ud800"` }],
    ['xss', { status: MARKUP, cryptographic_proof: MARKUP }],
    ['long-status', { status: '"AAAAA"' }, 5],
  ])('%s: in place and nothing else', (name, changes, value) => {
    expect(Object.fromEntries(changed(name, value))).toEqual({ ...RECORD, ...changes })
    expect(changed(name, value).map(([member]) => member)).toEqual(Object.keys(RECORD))
  })

  it('another digit of a proof is another one also where it was 0', () => {
    const zero: Members = [['cryptographic_proof', '"0x0f"']]
    expect(changed('proof-wrong', undefined, zero)).toEqual([['cryptographic_proof', '"0x1f"']])
  })

  it('may lack one', () => {
    expect(changed('missing', 'last_heartbeat').map(([name]) => name)).toEqual(
      Object.keys(RECORD).filter((name) => name !== 'last_heartbeat'),
    )
    expect(changed('missing', 'nonsense')).toEqual(MEMBERS)
  })

  it('may have more', () => {
    expect(changed('extra-fields')).toEqual([
      ...MEMBERS,
      ['software_version', '"2.4.1"'],
      ['peers', '{"connected":17,"known":31}'],
    ])
    expect(changed('duplicate-keys')).toEqual([...MEMBERS, ['status', '"ACTIVE"'], ['status', '"INACTIVE"']])
    expect(changed('proto')).toEqual([['__proto__', '{"isAdmin":true,"status":"ACTIVE"}'], ...MEMBERS])
  })

  it('gets no member that it does not have', () => {
    expect(changed('infinity', undefined, [['status', '"ACTIVE"']])).toEqual([['status', '"ACTIVE"']])
  })
})

describe('a record', () => {
  it('is written as JSON, member by member, as each is', () => {
    expect(
      toJson([
        ['a"', '1e400'],
        ['__proto__', '{}'],
      ]),
    ).toBe('{"a\\"":1e400,"__proto__":{}}')
    expect(toJson([])).toBe('{}')
  })

  it('is proven line by line, the purpose first', () => {
    expect(
      textToProve([
        ['a', '"x"'],
        ['b', '1'],
      ]),
    ).toBe('immune-node-record-v1\na="x"\nb=1')
  })
})
