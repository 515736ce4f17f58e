import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorText, redact, withoutKeys } from '#protocol/redact.ts'

const HEX = 'ab'.repeat(32)
const SIGNATURE = '0123456789abcdef'.repeat(8)

describe('a redacted text', () => {
  it('loses the values that a request carried, in any letter case and place', () => {
    const sent = ['Bearer c2hvcnQgc2lnbmF0dXJl', 'nonce="Zm9yZWlnbi1jbGllbnQ"']
    const echo = 'you sent c2hvcnQgc2lnbmF0dXJl and C2HVCNQGC2LNBMF0DXJL and Zm9yZWlnbi1jbGllbnQ!'
    expect(redact(echo, sent, [])).toBe('you sent [removed] and [removed] and [removed]!')
    expect(redact('a (b) +c', ['a (b) +c but longer'], [])).toBe('a (b) +c')
    expect(redact('x.+*?(y)[z]{16}^$', ['x.+*?(y)[z]{16}^$'], [])).toBe('[removed]')
  })

  it('loses everything that could be a signature, sent or not', () => {
    expect(redact(`a ${SIGNATURE} b`, [], [])).toBe('a [removed] b')
    expect(redact(`"${'Ab+/'.repeat(21)}Ab=="`, [], [])).toBe('"[removed]"')
    expect(redact(`${'a'.repeat(40)}.${'b'.repeat(40)}`, [], [])).toBe('[removed]')
    expect(redact('a'.repeat(63), [], [])).toBe('a'.repeat(63))
    expect(redact('z'.repeat(79), [], [])).toBe('z'.repeat(79))
    expect(redact('z'.repeat(80), [], [])).toBe('[removed]')
  })

  it('keeps public keys and node ids, and no other 32 bytes', () => {
    const id = `0x${'cd'.repeat(32)}`
    const text = `${HEX} ${HEX.toUpperCase()} ${id} ${'ef'.repeat(32)} ${'EF'.repeat(32)}`
    expect(redact(text, [HEX], [HEX, id])).toBe(`${HEX} ${HEX.toUpperCase()} ${id} [removed] [removed]`)
  })

  it('loses a longer value as a whole, even if part of it was sent too', () => {
    const part = 'abcdefghijklmnop'
    expect(redact(`<${part}q>`, [part, `${part}q`], [])).toBe('<[removed]>')
    expect(redact(`<${part}q>`, [`${part}q`, part], [])).toBe('<[removed]>')
  })

  it('loses a truncated signature of at least 24 characters', () => {
    const sent = 'Zz1'.repeat(22)
    expect(redact(`said ${sent.slice(0, 30)}`, [sent], [])).toBe('said [removed]')
    expect(redact(`said ${sent.slice(0, 24)}`, [sent], [])).toBe('said [removed]')
    expect(redact(`said ${sent.slice(0, 23)}`, [sent], [])).toBe(`said ${sent.slice(0, 23)}`)
    // A value shorter than a signature is removed only as a whole.
    expect(redact(`said ${sent.slice(0, 30)}`, [sent.slice(0, 63)], [])).toBe(`said ${sent.slice(0, 30)}`)
    expect(redact(`said ${sent.slice(0, 30)}`, [sent.slice(0, 64)], [])).toBe('said [removed]')
  })

  it('loses only the signature of a header, but a value that continues after one as a whole', () => {
    const signature = 'Zz1'.repeat(22)
    const named = 'Signature key="operator"'
    expect(redact(`${named} is unknown`, [`${named} ${signature}`], [])).toBe(`${named} is unknown`)
    expect(redact(`said ${signature} and more`, [`${signature} and more`], [])).toBe('said [removed]')
  })

  it('keeps values of less than 16 characters', () => {
    expect(redact('the Bearer of 1780315200', ['Bearer', '1780315200'], [])).toBe('the Bearer of 1780315200')
    expect(redact('abcdefghijklmno', ['abcdefghijklmno'], [])).toBe('abcdefghijklmno')
    expect(redact('abcdefghijklmnop', ['abcdefghijklmnop'], [])).toBe('[removed]')
  })

  it('never contains a sent value', () => {
    const value = fc.string({ minLength: 16, maxLength: 60 })
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (sent, before, after) => {
        fc.pre(!'[removed]'.includes(sent))
        expect(redact(before + sent + after, [sent], [])).not.toContain(sent)
      }),
    )
  })
})

describe('a text written by this page', () => {
  const bytes = (count: number, value = '255') => Array.from({ length: count }, () => value)

  it.each([
    ['a key in base64', `seed ${'Ab1+'.repeat(10)}/w= read`, 'seed [removed] read'],
    ['text as long as a key', 'x'.repeat(40), '[removed]'],
    ['shorter text', 'x'.repeat(39), 'x'.repeat(39)],
    ['a key as a list', `seed [${bytes(32).join(', ')}] read`, 'seed [[removed]] read'],
    ['a list of small numbers without spaces', bytes(16, '7').join(','), '[removed]'],
    ['a shorter list', bytes(15).join(', '), bytes(15).join(', ')],
    ['words', 'line 3, column 14: expected a value', 'line 3, column 14: expected a value'],
  ])('%s: loses only what could be a key', (_name, text, clean) => {
    expect(withoutKeys(text)).toBe(clean)
  })

  it('describes any thrown value without a key that it quotes', () => {
    expect(errorText(new SyntaxError(`no JSON: ${HEX}`))).toBe('SyntaxError: no JSON: [removed]')
    expect(errorText(`stopped at ${HEX}`)).toBe('stopped at [removed]')
    expect(errorText(undefined)).toBe('undefined')
  })
})
