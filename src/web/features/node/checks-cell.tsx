import type { Check, Stage } from '#fleet/assessment.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { glyphOf } from '#parts/severity.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { CheckList } from '#ui/finding.tsx'
import { HeroCell } from '#ui/hero.tsx'

const words = nodeTexts.hero

type ChecksCellProps = { readonly node: NodeLive; readonly stage: Stage }

/** The eight checks, each by shape and in words. */
export function ChecksCell({ node, stage: { checks } }: ChecksCellProps) {
  const { metrics } = useDashboard()
  return (
    <HeroCell label={words.checks} aside={summary(checks)}>
      <CheckList
        checks={checks.map((check) => ({
          id: check.id,
          kind: isUnchecked(check) ? 'none' : glyphOf(check.state),
          kindLabel: isUnchecked(check)
            ? words.notChecked
            : levelWords[check.state === 'not-checked' ? 'ok' : check.state],
          text: checkText(check, metrics, node.episode?.failure),
        }))}
      />
    </HeroCell>
  )
}

/** Within limits, since nobody asked for more; but no tick for what nobody looked at. */
const isUnchecked = ({ reason }: Check): boolean => reason === 'proof-not-checked'

function summary(checks: readonly Check[]): string {
  const count = (...states: readonly Check['state'][]): number =>
    checks.filter(({ state }) => states.includes(state)).length
  const bad = count('critical', 'warning', 'info')
  const unknown = count('unknown')
  if (unknown > bad) return words.notKnown(unknown, checks.length)
  return bad === 0
    ? words.within(count('ok', 'not-checked'), checks.length)
    : words.outside(bad, checks.length)
}
