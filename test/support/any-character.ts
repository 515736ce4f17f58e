import fc from 'fast-check'

/** Any Unicode character, as fast-check's unit `binary` but without the second that its map takes to build. */
export const anyCharacter = fc
  .oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
