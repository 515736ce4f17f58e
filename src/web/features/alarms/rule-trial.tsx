import type { RuleTrial } from '#alarms/try-rule.ts'
import type { AlarmRule } from '#settings/schema.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useAct } from '#react/reads.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { Button } from '#ui/button.tsx'
import { joined } from '#texts/format.ts'

const words = alarmRuleTexts.trial
const WEEK_MS = 7 * 86_400_000

/** `submit` passes on the edited rule. If a field is invalid, the fields show the problem instead. */
export function TryOut({ submit }: { readonly submit: (onValid: (rule: AlarmRule) => void) => void }) {
  const { engine, fleet } = useDashboard()
  const { mutate, data, isPending, isError } = useAct({
    mutationFn: (rule: AlarmRule) => {
      const toMs = fleet.get().wallMs
      return engine.tryRule(rule, { fromMs: toMs - WEEK_MS, toMs })
    },
  })
  return (
    <div className="flow">
      <Button busy={isPending} onClick={() => submit((rule) => mutate(rule))}>
        {words.button}
      </Button>
      <output className="text-12">{isError ? words.failed : data && trialText(data)}</output>
    </div>
  )
}

function trialText({ raised, nodes, nodesInScope, answers, exact, possible }: RuleTrial): string {
  if (!possible) return words.impossible
  if (answers === 0) return words.nothingKnown
  return joined(' ', [
    words.raised(raised),
    nodes < nodesInScope && words.ofNodes(nodes, nodesInScope),
    !exact && words.rollups,
  ])
}
