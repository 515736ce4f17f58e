import { describe, expect, it } from 'vitest'
import { hexToBytes } from '#base/bytes.ts'
import { isOnCurve } from '#keys/signing-key.ts'
import { pointProblem, signatureProblem } from '#proof/proof-statement.ts'
import rfc8032 from '#test/vectors/noble-rfc8032.json' with { type: 'json' }

const bytes = (hex: string): Uint8Array => hexToBytes(hex) ?? new Uint8Array()
const R = rfc8032[0]?.sig.slice(0, 64) ?? ''
/** The order of the base point, lowest byte first. */
const ORDER = 'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010'

describe('a point', () => {
  it.each([
    ['p - 2', `eb${'ff'.repeat(30)}7f`, undefined],
    ['p - 1', `ec${'ff'.repeat(30)}7f`, 'small-order'],
    ['p', `ed${'ff'.repeat(30)}7f`, 'not-canonical'],
    ['p + 1', `ee${'ff'.repeat(30)}7f`, 'not-canonical'],
    ['0', '00'.repeat(32), 'small-order'],
    ['1', `01${'00'.repeat(31)}`, 'small-order'],
    ['1 with the sign of x set', `01${'00'.repeat(30)}80`, 'small-order'],
    ['2', `02${'00'.repeat(31)}`, undefined],
    ['one of order eight', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'small-order'],
    ['its negative', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'small-order'],
  ])('whose y is %s has the problem %s', (_, hex, problem) => {
    expect(pointProblem(bytes(hex))).toBe(problem)
  })

  it.each([
    ['of a key is on the curve', rfc8032[0]?.pub ?? '', true],
    ['of another key is on the curve', rfc8032[1]?.pub ?? '', true],
    ['with x = 0 is on the curve', `01${'00'.repeat(31)}`, true],
    ['with y = 0 is on the curve', '00'.repeat(32), true],
    ['with y = 2 is not', `02${'00'.repeat(31)}`, false],
    ['with y = 2 and the sign of x set is not', `02${'00'.repeat(30)}80`, false],
    ['with y = 3 is on the curve', `03${'00'.repeat(31)}`, true],
    ['with y = 7 is not', `07${'00'.repeat(31)}`, false],
  ])('%s', (_, hex, is) => {
    expect(isOnCurve(bytes(hex))).toBe(is)
  })
})

it.each([
  ['63 bytes', `${R}${'00'.repeat(31)}`, 'wrong-length'],
  ['65 bytes', `${R}${'00'.repeat(33)}`, 'wrong-length'],
  ['the largest S', `${R}${ORDER.replace('ed', 'ec')}`, undefined],
  ['an S equal to the order', `${R}${ORDER}`, 's-not-canonical'],
  ['an S above the order', `${R}${'ff'.repeat(32)}`, 's-not-canonical'],
  ['a second encoding of R', `ed${'ff'.repeat(30)}7f${'00'.repeat(32)}`, 'not-canonical'],
  ['an R of small order', `01${'00'.repeat(63)}`, 'small-order'],
])('a signature of %s has the problem %s', (_, hex, problem) => {
  expect(signatureProblem(bytes(hex))).toBe(problem)
})
