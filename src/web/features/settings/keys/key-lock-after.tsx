import { useLockMinutes } from '#react/use-locks.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { SelectField } from '#ui/select-field.tsx'

const words = keyTexts.lockAfter
const CHOICES = [5, 15, 30, 60, 240, 0] as const

/** After how long without anybody the vaults lock. Shown as the signer knows it. */
export function KeyLockAfter() {
  const { minutes, choose, isKept } = useLockMinutes()
  if (minutes === undefined) return null
  const offered = CHOICES.some((choice) => choice === minutes) ? CHOICES : [minutes, ...CHOICES]
  return (
    <SelectField
      label={words.label}
      hint={isKept ? words.hint : words.notKept}
      value={String(minutes)}
      options={offered.map((count) => ({
        value: String(count),
        label: count === 0 ? words.never : words.options(count),
      }))}
      onChange={(text) => choose(Number(text))}
    />
  )
}
