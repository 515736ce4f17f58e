import { useState } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import type { EffectiveSettings } from '#settings/effective-settings.ts'
import { STATUS_MEANINGS, STATUS_WORD_CHARS_MAX, STATUS_WORDS_MAX } from '#settings/rules.ts'
import { ruleTexts } from '#texts/en-rules.ts'
import { originText } from '#texts/en-origin.ts'
import { Button } from '#ui/button.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, FieldGroup } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import type { RuleFields } from './rule-fields.ts'

const words = ruleTexts.fields

type WordFieldsProps = {
  readonly words: RuleFields['statusWords']
  /** Words that services said, as they wrote them. */
  readonly seen: readonly string[]
  /** Undefined where it differs from service to service. */
  readonly inForce: EffectiveSettings['statusWords'] | undefined
  readonly onChange: (words: RuleFields['statusWords']) => void
}

/** What each status word means: those that were seen, those that are set, and any other. */
export function WordFields({ words: set, seen, inForce, onChange }: WordFieldsProps) {
  const [typed, setTyped] = useState('')
  const [added, setAdded] = useState<readonly string[]>([])
  const all = Array.from(
    new Set([...set.map(({ word }) => word), ...(inForce?.keys() ?? []), ...seen, ...added]),
  ).slice(0, STATUS_WORDS_MAX)
  const say = (word: string, means: RuleFields['statusWords'][number]['means'] | ''): void => {
    const others = set.filter((each) => each.word !== word)
    onChange(means === '' ? others : [...others, { word, means }])
  }
  const add = (): void => {
    // Neither trimmed nor changed: " ACTIVE" is another word than "ACTIVE".
    if (typed === '') return
    setAdded((now) => [...now, Array.from(typed).slice(0, STATUS_WORD_CHARS_MAX).join('')])
    setTyped('')
  }
  return (
    <>
      <FieldGrid>
        {all.map((word) => {
          const resolved = inForce?.get(word)
          return (
            <SelectField
              key={word}
              label={words.word(toVisibleText(word))}
              hint={
                resolved === undefined
                  ? words.meanings['']
                  : `${words.meanings[resolved.value]}, ${originText(resolved.from)}`
              }
              value={set.find((each) => each.word === word)?.means ?? ''}
              options={[
                { value: '' as const, label: ruleTexts.notSet },
                ...STATUS_MEANINGS.map((value) => ({ value, label: words.meanings[value] })),
              ]}
              onChange={(means) => say(word, means)}
            />
          )
        })}
        <FieldGroup>
          <TextField label={words.newWord} hint={words.newWordHint} value={typed} onChange={setTyped} />
          <div>
            <Button size="small" disabled={typed === ''} onClick={add}>
              {words.addWord}
            </Button>
          </div>
        </FieldGroup>
      </FieldGrid>
    </>
  )
}
