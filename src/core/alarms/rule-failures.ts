export type RuleFailures = ReturnType<typeof createRuleFailures>

/** Failed rules are named up to this many. */
const NAMED_MAX = 3

/** Keeps a defect in one rule from taking the others with it, and remembers what it was until the rule is evaluated again. */
export function createRuleFailures() {
  const failed = new Map<string, string>()
  return {
    /** What `evaluate` says; `otherwise` where it throws. */
    held: <T>(what: string, otherwise: T, evaluate: () => T): T => {
      try {
        const found = evaluate()
        failed.delete(what)
        return found
      } catch (error) {
        failed.set(what, error instanceof Error ? error.message : String(error))
        return otherwise
      }
    },
    /** What is not evaluated any more has not failed. */
    forget: (isGone: (what: string) => boolean): void => {
      for (const what of failed.keys()) if (isGone(what)) failed.delete(what)
    },
    /** Which rules, and why; undefined: none. */
    text: (): string | undefined => {
      const byRule = new Map(Array.from(failed, ([what, why]) => [what.split(' ', 1)[0], why] as const))
      const named = Array.from(byRule, ([rule, why]) => `${rule}: ${why}`)
      const more = named.length - NAMED_MAX
      if (named.length === 0) return undefined
      return [...named.slice(0, NAMED_MAX), ...(more > 0 ? [`+ ${more}`] : [])].join('; ')
    },
  }
}
