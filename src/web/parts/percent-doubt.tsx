import { ruleTexts } from '#texts/en-rules.ts'
import { Button } from '#ui/button.tsx'

type PercentDoubtProps = {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Asks whether a number up to 1 is a ratio or a percentage; a percent sign answers the question. */
export function PercentDoubt({ text, onChange }: PercentDoubtProps) {
  const typed = text.trim()
  const value = Number(typed)
  if (!/^[01]?\.?\d*$/.test(typed) || !(value > 0 && value <= 1)) return null
  const meant = [String(Number((value * 100).toPrecision(12))), typed].map((figure) => `${figure} %`)
  return (
    <div className="flow">
      <output className="text-12 ink-1">{ruleTexts.percentDoubt}</output>
      {meant.map((each) => (
        <Button key={each} size="small" onClick={() => onChange(each)}>
          {each}
        </Button>
      ))}
    </div>
  )
}
