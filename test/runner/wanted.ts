/** The meaning of a command's arguments. For `wrong` ones, `words` is the message to the user. */
export type Wanted =
  | { readonly kind: 'run'; readonly given: readonly string[] }
  | { readonly kind: 'help' | 'wrong'; readonly words: string }

/** `usage` describes every argument of `known`, one per line. */
export function wantedOf(args: readonly string[], known: readonly string[], usage: string): Wanted {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help', words: usage }
  const unknown = args.filter((arg) => !known.includes(arg))
  return unknown.length === 0
    ? { kind: 'run', given: args }
    : { kind: 'wrong', words: `Unknown argument: ${unknown.join(', ')}.\n\n${usage}` }
}
