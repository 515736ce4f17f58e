import { describe, expect, it } from 'vitest'
import {
  indexOfText,
  isSpace,
  isText,
  linesOf,
  sameBytes,
  startsWith,
  withoutSpace,
  wordsOf,
} from '#keys/ascii.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('bytes', () => {
  it.each([
    ['', '', true],
    ['ab', 'ab', true],
    ['ab', 'ac', false],
    ['ab', 'bb', false],
    ['ab', 'a', false],
    ['a', 'ab', false],
  ])('%j and %j are the same: %s', (one, other, same) => {
    expect(sameBytes(utf8(one), utf8(other))).toBe(same)
  })

  it.each([
    ['abc', 'abc', 0, true],
    ['abc', 'ab', 0, true],
    ['abc', '', 0, true],
    ['abc', 'abcd', 0, false],
    ['abc', 'xbc', 0, false],
    ['abc', 'abx', 0, false],
    ['abc', 'bc', 1, true],
    ['abc', 'bcd', 1, false],
    ['abc', 'ab', 1, false],
    ['abc', '', 3, true],
  ])('%j start with %j at %i: %s', (bytes, text, from, starts) => {
    expect(startsWith(utf8(bytes), text, from)).toBe(starts)
  })

  it.each([
    ['none', 'none', true],
    ['none', 'non', false],
    ['none', 'nonee', false],
    ['none', 'some', false],
    ['', '', true],
  ])('%j are the text %j: %s', (bytes, text, same) => {
    expect(isText(utf8(bytes), text)).toBe(same)
  })

  it.each([
    ['abcab', 'ab', 0, 0],
    ['abcab', 'ab', 1, 3],
    ['abcab', 'ab', 3, 3],
    ['abcab', 'ab', 4, -1],
    ['abcab', 'abcab', 0, 0],
    ['abcab', 'b', 2, 4],
    ['abcab', 'x', 0, -1],
    ['ab', 'abc', 0, -1],
    ['', 'a', 0, -1],
  ])('%j hold %j from %i on at %i', (bytes, text, from, at) => {
    expect(indexOfText(utf8(bytes), text, from)).toBe(at)
  })

  it('are looked at from the front, where nothing else is said', () => {
    expect(startsWith(utf8('abc'), 'ab')).toBe(true)
    expect(startsWith(utf8('abc'), 'bc')).toBe(false)
    expect(indexOfText(utf8('abab'), 'ab')).toBe(0)
  })
})

describe('lines', () => {
  it.each([
    ['', 9, []],
    ['a', 9, ['a']],
    ['a\nb', 9, ['a', 'b']],
    ['a\n', 9, ['a']],
    ['a\r\nb\r\n', 9, ['a', 'b']],
    ['a\r', 9, ['a']],
    ['\n\nb', 9, ['', '', 'b']],
    ['\r\n', 9, ['']],
    ['a\r\n\nb', 9, ['a', '', 'b']],
    ['a\rb', 9, ['a\rb']],
    ['a\nb\nc', 2, ['a', 'b']],
    ['a\nb', 0, []],
  ])('of %j, at most %i, are %j', (text, max, lines) => {
    expect(linesOf(utf8(text), max).map(textOf)).toEqual(lines)
  })

  it('take nothing of the line before', () => {
    // An empty line behind a carriage return that is no end of its own.
    expect(linesOf(utf8('\r'), 9).map(textOf)).toEqual([''])
    expect(linesOf(utf8('x\n'.repeat(3)), 9).map(textOf)).toEqual(['x', 'x', 'x'])
  })

  it('are views, so that what is zeroed is gone in them too', () => {
    const bytes = utf8('secret\nx')
    const lines = linesOf(bytes, 9)
    bytes.fill(0)
    expect(lines).toEqual([new Uint8Array(6), new Uint8Array(1)])
  })
})

describe('words', () => {
  it.each([
    ['', 9, []],
    [' \t\r\n', 9, []],
    ['a', 9, ['a']],
    [' a  bc\td\r\ne ', 9, ['a', 'bc', 'd', 'e']],
    ['a b c', 2, ['a', 'b']],
    ['a b', 0, []],
  ])('of %j, at most %i, are %j', (text, max, words) => {
    expect(wordsOf(utf8(text), max).map(textOf)).toEqual(words)
  })
})

describe('white space', () => {
  it('is space, tab and the ends of lines', () => {
    const spaces = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => isSpace(byte))
    expect(spaces).toEqual([0x09, 0x0a, 0x0d, 0x20])
    expect(isSpace(undefined)).toBe(false)
  })

  it.each([
    ['', ''],
    ['ab', 'ab'],
    [' a\tb\r\nc ', 'abc'],
    [' \n', ''],
  ])('is left out of the copy of %j', (text, without) => {
    const bytes = utf8(text)
    const copy = withoutSpace(bytes)
    expect(textOf(copy)).toBe(without)
    expect(copy.buffer).not.toBe(bytes.buffer)
    expect(textOf(bytes)).toBe(text)
  })
})
