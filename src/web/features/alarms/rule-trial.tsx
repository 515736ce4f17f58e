import { useState } from 'react'
import type { RuleTrial } from '#alarms/try-rule.ts'
import type { AlarmRule } from '#settings/schema.ts'
import { useDashboard } from '#react/dashboard.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { Button } from '#ui/button.tsx'
import { joined } from '#texts/format.ts'

const words = alarmRuleTexts.trial
const WEEK_MS = 7 * 86_400_000

/** `submit` passes on the edited rule. If a field is invalid, the fields show the problem instead. */
export function TryOut({ submit }: { readonly submit: (onValid: (rule: AlarmRule) => void) => void }) {
  const { engine, fleet } = useDashboard()
  const [result, setResult] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const tryIt = async (rule: AlarmRule): Promise<void> => {
    setBusy(true)
    const toMs = fleet.get().wallMs
    const trial = await engine.tryRule(rule, { fromMs: toMs - WEEK_MS, toMs }).catch(() => undefined)
    setResult(trial === undefined ? words.failed : trialText(trial))
    setBusy(false)
  }
  return (
    <div className="flow">
      <Button busy={isBusy} onClick={() => submit((rule) => void tryIt(rule))}>
        {words.button}
      </Button>
      <output className="text-12">{result}</output>
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
