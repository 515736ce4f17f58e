import { describe, expect, it } from 'vitest'
import { folded, readText } from '#base/read-text.ts'

const TEXT = 'id;name\r\n0x1;Zürich 🚀\r\n'
const utf16 = (text: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

describe('a text', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['little-endian UTF-16 with a byte order mark', utf16(`\ufeff${TEXT}`, false)],
    ['big-endian UTF-16 with a byte order mark', utf16(`\ufeff${TEXT}`, true)],
  ])('is decoded from %s', (_what, bytes) => {
    expect(readText(bytes)).toEqual({ ok: true, value: TEXT })
  })

  it.each([
    ['little-endian', false],
    ['big-endian', true],
  ])('is decoded from %s UTF-16 without a mark if it starts with Latin letters', (_what, isBig) => {
    expect(readText(utf16(`id,name\n0x1,${'a'.repeat(30)}\nZürich`, isBig))).toMatchObject({ ok: true })
  })

  it.each([
    ['Windows-1252', Buffer.from('Z\u00fcrich', 'latin1')],
    ['truncated UTF-16', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42])],
    ['binary data', Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0x00])],
  ])('is rejected in another encoding: %s', (_what, bytes) => {
    expect(readText(bytes)).toEqual({ ok: false, error: 'other-encoding' })
  })

  it('of no bytes is empty', () => {
    expect(readText(new Uint8Array())).toEqual({ ok: true, value: '' })
  })

  it('folds both forms of an accent, and capitals, to the same text', () => {
    expect(folded('ZU\u0308RICH')).toBe(folded('z\u00fcrich'))
  })
})
