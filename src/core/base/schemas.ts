import * as v from 'valibot'

export const finite = v.pipe(v.number(), v.finite())

/** Both bounds are included. */
export const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

export const trimmedText = (charsMax: number) => v.pipe(v.string(), v.trim(), v.maxLength(charsMax))

/** A name that a person gives to something. */
export const Label = trimmedText(60)

export const PublicKeyHex = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, 'is not a public key of 64 hex digits'),
)
