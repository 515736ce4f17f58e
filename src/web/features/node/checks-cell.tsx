import { conditionOf, type Check } from '#monitor/condition.ts'
import type { NodeLive, ServiceLive } from '#monitor/live.ts'
import { useNow } from '#react/use-now.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { CheckList } from '#ui/check-list.tsx'
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
          kind: check.state === 'unknown' ? 'none' : check.state,
          kindLabel: levelWords[check.state],
          text: checkText(check, node.episode?.failure),
        }))}
      />
    </HeroCell>
  )
}

function summary(checks: readonly Check[]): string {
  const count = (...states: readonly Check['state'][]): number =>
    checks.filter(({ state }) => states.includes(state)).length
  const bad = count('critical', 'warning', 'notice')
  const unknown = count('unknown')
  if (unknown > bad) return words.notKnown(unknown, checks.length)
  return bad === 0 ? words.within(count('ok'), checks.length) : words.outside(bad, checks.length)
}
