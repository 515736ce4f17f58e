/** An own property of untrusted data; undefined if there is none. */
export const ownMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined

export function ownText(value: unknown, name: string): string | undefined {
  const text = ownMember(value, name)
  return typeof text === 'string' ? text : undefined
}
