import type { ReactNode } from 'react'
import type { Check, Stage } from '#fleet/assessment.ts'
import { failureOf } from '#fleet/cause.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useFleet } from '#react/use-fleet.ts'
import { glyphOf } from '#parts/severity.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { Glyph } from '#ui/glyph.tsx'
import { HeroCell } from '#ui/hero.tsx'

const words = nodeTexts.hero

type ChecksCellProps = {
  readonly node: NodeLive
  readonly stage: Stage
  readonly onLimit?: (metric: string) => void
  readonly children?: ReactNode
}

export function ChecksCell({ node, stage: { checks }, onLimit, children }: ChecksCellProps) {
  const { metrics } = useDashboard()
  const causes = useFleet((fleet) => fleet.causes)
  return (
    <HeroCell label={words.checks} aside={summary(checks)}>
      <ul className="finding-checks text-12">
        {checks.map((check) => {
          const kind = isUnchecked(check) ? 'none' : glyphOf(check.state)
          const text = checkText(check, metrics, failureOf(node, causes))
          return (
            <li key={check.id} className={`row ${kind}`}>
              <Glyph kind={kind} label={levelWords[check.state]} />
              {check.reason === 'no-limit' && onLimit ? (
                <button type="button" className="finding-open truncate" onClick={() => onLimit(check.id)}>
                  {text}
                </button>
              ) : (
                <span className="grow wrap-anywhere">{text}</span>
              )}
            </li>
          )
        })}
      </ul>
      {children}
    </HeroCell>
  )
}

/** Unchecked values get no tick. */
const isUnchecked = ({ state }: Check): boolean => state === 'not-checked'

function summary(checks: readonly Check[]): string {
  const count = (...states: readonly Check['state'][]): number =>
    checks.filter(({ state }) => states.includes(state)).length
  const bad = count('critical', 'warning', 'info')
  const unknown = count('unknown')
  const checked = checks.length - count('not-checked')
  if (unknown > bad) return words.notKnown(unknown, checks.length)
  return bad === 0 ? words.within(checked, checks.length) : words.outside(bad, checked, checks.length)
}
