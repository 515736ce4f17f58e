import fc from 'fast-check'

/** Any Unicode character. The unit `binary` of fast-check gives the same ones, but first spends a second on a map of them all. */
export const anyCharacter = fc
  .oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
