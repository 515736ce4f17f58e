/** What the arguments of a command ask for. `wrong`: the words that say so. */
export type Wanted =
  | { readonly kind: 'run'; readonly given: readonly string[] }
  | { readonly kind: 'help' | 'wrong'; readonly words: string }

/** `usage` lists every argument of `known`, one a line, each with what it does. */
export function wantedOf(args: readonly string[], known: readonly string[], usage: string): Wanted {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help', words: usage }
  const unknown = args.filter((arg) => !known.includes(arg))
  return unknown.length === 0
    ? { kind: 'run', given: args }
    : { kind: 'wrong', words: `There is no argument ${unknown.join(', ')}.\n\n${usage}` }
}
