import { useState } from 'react'
import { changesBetween } from '#settings/settings-changes.ts'
import { parseSettings, type Settings } from '#settings/settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { undoSteps } from '#react/kept-settings.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { changeText, documentTexts as words } from '#texts/en-rules.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Properties } from '#ui/properties.tsx'
import { Flow } from '#ui/page.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

type Step = { readonly atMs: number; readonly before: Settings; readonly texts: readonly string[] }

/** What was changed last, newest first, each with the way back. */
export function UndoList() {
  const { settings } = useConfiguration()
  const { restoreSettings } = useDashboard()
  const [said, setSaid] = useState<string>()
  const zone = settings.display.timeZone
  const steps = stepsBack(settings)
  const undo = (atMs: number): void => {
    const step = stepsBack(settings).find((each) => each.atMs === atMs)
    if (step !== undefined) restoreSettings(step.before, atMs)
    setSaid(step === undefined ? words.gone : words.undone)
  }
  return (
    <>
      {steps.length === 0 && <p>{words.undoNone}</p>}
      <Properties
        items={steps.map(({ atMs, texts }, place) => ({
          id: String(atMs),
          label: formatMoment(atMs, atMs, zone),
          value: (
            <Flow>
              <span className="wrap-anywhere">
                <VisibleText text={texts.join('; ')} charsMax={300} />
              </span>
              <Button size="small" look="subtle" onClick={() => undo(atMs)}>
                {place === 0 ? words.undoThis : words.undoTo}
              </Button>
            </Flow>
          ),
        }))}
      />
      <output className="t12 ink3">{said}</output>
    </>
  )
}

/** Steps that changed something and can still be read, newest first; each against what came after it. */
function stepsBack(now: Settings): readonly Step[] {
  const steps: Step[] = []
  let after = now
  for (const { atMs, text } of undoSteps().toReversed()) {
    const parsed = parseSettings(jsonOf(text))
    if (!parsed.ok) break // what came before it can't be compared any more
    const texts = changesBetween(parsed.value, after).map(changeText)
    after = parsed.value
    if (texts.length > 0) steps.push({ atMs, before: parsed.value, texts })
  }
  return steps
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
