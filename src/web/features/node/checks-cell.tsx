import { conditionOf, type Check } from '#evaluate/condition.ts'
import type { NodeLive, ServiceLive } from '#fleet/live.ts'
import { useNow } from '#react/use-now.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { CheckList } from '#ui/check-list.tsx'
import type { GlyphKind } from '#ui/glyph.tsx'
import { HeroCell } from '#ui/hero.tsx'

const words = nodeTexts.hero

type ChecksCellProps = { readonly node: NodeLive; readonly service: ServiceLive }

/** The eight checks, each by shape and in words. */
export function ChecksCell({ node, service }: ChecksCellProps) {
  const nowMs = useNow()
  const { checks } = conditionOf(node, nowMs, service)
  return (
    <HeroCell label={words.checks} aside={summary(checks)}>
      <CheckList
        checks={checks.map((check) => ({
          id: check.name,
          kind: kindOf(check),
          kindLabel: isUnchecked(check) ? words.notChecked : levelWords[check.state],
          text: checkText(check, node.episode?.failure),
        }))}
      />
    </HeroCell>
  )
}

/** Within limits, since nobody asked for more; but no tick for what nobody looked at. */
const isUnchecked = ({ reason }: Check): boolean => reason === 'proof-not-checked'

const kindOf = (check: Check): GlyphKind =>
  check.state === 'unknown' || isUnchecked(check) ? 'none' : check.state

function summary(checks: readonly Check[]): string {
  const count = (...states: readonly Check['state'][]): number =>
    checks.filter(({ state }) => states.includes(state)).length
  const bad = count('critical', 'warning', 'info')
  const unknown = count('unknown')
  if (unknown > bad) return words.notKnown(unknown, checks.length)
  return bad === 0 ? words.within(count('ok'), checks.length) : words.outside(bad, checks.length)
}
