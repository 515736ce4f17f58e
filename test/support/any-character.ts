import fc from 'fast-check'

/** Any character of Unicode. The unit `binary` of fast-check means the same, and makes a map of all of them first, for a second. */
export const anyCharacter = fc
  .oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
