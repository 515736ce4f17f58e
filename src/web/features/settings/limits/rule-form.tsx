import type { TimestampUnit } from '#record/field.ts'
import { cutText, toVisibleText } from '#base/visible-text.ts'
import { ruleKey, type RuleScope, type EffectiveSettings, type Resolved } from '#settings/effective.ts'
import type { FieldProblems } from '#react/form-draft.ts'
import { STATUS_WORD_CHARS_MAX, STATUS_WORDS_MAX } from '#settings/schema.ts'
import { createDrafts, useFormChecks } from '#react/drafts.ts'
import { ruleTexts } from '#texts/en-rules.ts'
import { Panel } from '#ui/panel.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { readRuleFields, ruleFieldsOf, type RuleFields, type RuleParts } from '#parts/rule-fields.ts'
import { useInForce } from './use-in-force.ts'
import { SaveRow, type Saved } from '#parts/save.tsx'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { formatExact, formatPercent, formatSpan, joined } from '#texts/format.ts'
import { PercentDoubt } from '#parts/percent-doubt.tsx'
import { optionsOf } from '#ui/choices.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { TextField } from '#ui/text-field.tsx'
import { useState } from 'react'
import { originText } from '#texts/en-origin.ts'
import { Button } from '#ui/button.tsx'

type RuleFormProps = {
  readonly scope: RuleScope
  readonly title: string
  readonly set: RuleParts
  /** Values from the server's configuration for this scope; read-only here. */
  readonly provided: RuleParts
  readonly saved: Saved | undefined
  /** Returns false if the values could not be stored; the form then stays unchanged. */
  readonly onSave: (parts: RuleParts) => boolean
}

const useRuleDraft = createDrafts<RuleFields>()

export function RuleForm({ scope, title, set, provided, saved, onSave }: RuleFormProps) {
  const [draft, setDraft] = useRuleDraft(ruleKey(scope))
  const fields = draft ?? ruleFieldsOf(set)
  const { problems, change, submit, forget } = useFormChecks(fields, setDraft, readRuleFields)
  const { settings, statuses, extraFields, heartbeatUnit } = useInForce(scope)
  const saveParts = (parts: RuleParts): void => {
    if (onSave(parts)) setDraft(undefined)
  }
  const discard = (): void => {
    setDraft(undefined)
    forget()
  }
  const fixed = ruleFieldsOf(provided)
  const shared = { fields, fixed, problems, settings, onChange: change }
  const isMarked = Object.keys(provided.units).length + Object.keys(provided.limits).length > 0
  return (
    <Panel title={title} note={isMarked && ruleTexts.fromServer}>
      <Form onSubmit={() => submit(saveParts)}>
        <h3>{ruleTexts.units}</h3>
        <UnitInputs {...shared} seen={extraFields} heartbeatUnit={heartbeatUnit} />
        <WordFields
          words={fields.statusWords}
          fixed={fixed.statusWords}
          seen={statuses}
          inForce={settings?.statusWords}
          onChange={(statusWords) => change({ statusWords })}
        />
        <h3>{ruleTexts.limits}</h3>
        <p className="text-12 ink-3">{ruleTexts.limitsHint}</p>
        <LimitInputs {...shared} />
        <SaveRow onDiscard={draft && discard} saved={saved} />
      </Form>
    </Panel>
  )
}

const words = ruleTexts.fields

type InputsProps = {
  readonly fields: RuleFields
  /** Values from the server's configuration. */
  readonly fixed: RuleFields
  readonly problems: FieldProblems<RuleFields>
  /** Effective settings; undefined if they differ between services. */
  readonly settings: EffectiveSettings | undefined
  readonly onChange: (part: Partial<RuleFields>) => void
}

type TextName = Exclude<keyof RuleFields, 'participation' | 'heartbeat' | 'statusWords'>

type UnitInputsProps = InputsProps & {
  readonly seen: readonly string[]
  readonly heartbeatUnit: TimestampUnit | undefined
}

function UnitInputs({ seen, heartbeatUnit, ...props }: UnitInputsProps) {
  const { fields, fixed, settings, onChange } = props
  return (
    <div className="settings-layout-fields">
      <SelectField
        label={words.participation}
        hint={withOwn(
          inForceText(settings?.participation, (unit) => words.participationNames[unit]),
          fixed.participation,
          fields.participation && words.participationNames[fields.participation],
        )}
        disabled={fixed.participation !== ''}
        value={fixed.participation || fields.participation}
        options={optionsOf({ '': ruleTexts.notSet, ...words.participationNames })}
        onChange={(participation) => onChange({ participation })}
      />
      <SelectField
        label={words.heartbeat}
        hint={withOwn(
          inForceText(
            settings?.heartbeat,
            (unit) => words.heartbeatNames[unit === 'detect' ? (heartbeatUnit ?? unit) : unit],
          ),
          fixed.heartbeat,
          fields.heartbeat && words.heartbeatNames[fields.heartbeat],
        )}
        disabled={fixed.heartbeat !== ''}
        value={fixed.heartbeat || fields.heartbeat}
        options={optionsOf({ '': ruleTexts.notSet, ...words.heartbeatNames })}
        onChange={(heartbeat) => onChange({ heartbeat })}
      />
      <Input
        {...props}
        name="heartbeatPeriod"
        hint={words.heartbeatPeriodHint(inForceText(settings?.heartbeatPeriodMs, formatSpan))}
      />
      <Input {...props} name="stakeSymbol" hint={inForceText(settings?.stakeSymbol, symbolText)} />
      <Input {...props} name="stakeDecimals" hint={inForceText(settings?.stakeDecimals, String)} />
      <Input
        {...props}
        name="extraFields"
        hint={seen.length === 0 ? words.extraFieldsHint : words.extraFieldsSeen(seen)}
        rows={3}
      />
    </div>
  )
}

function LimitInputs(props: InputsProps) {
  const { settings } = props
  const input = (name: TextName, hint: string) => <Input {...props} name={name} hint={hint} />
  return (
    <div className="settings-layout-fields">
      {input('participationBelow', inForceText(settings?.participationBelow, formatPercent))}
      {input('participationAbove', inForceText(settings?.participationAbove, formatPercent))}
      {input('stakeBelow', inForceText(settings?.stakeBelow, formatExact))}
      {input('heartbeatWarning', inForceText(settings?.heartbeatWarningMs, formatSpan))}
      {input('heartbeatCritical', inForceText(settings?.heartbeatCriticalMs, formatSpan))}
      {input('answerTime', inForceText(settings?.answerTimeAboveMs, formatSpan))}
    </div>
  )
}

const PERCENTAGES: readonly TextName[] = ['participationBelow', 'participationAbove']

type InputProps = InputsProps & { readonly name: TextName; readonly hint: string; readonly rows?: number }

function Input({ fields, fixed, problems, onChange, name, hint, rows }: InputProps) {
  const isFixed = fixed[name] !== ''
  const input = (
    <TextField
      label={words[name]}
      hint={withOwn(hint, fixed[name], fields[name])}
      disabled={isFixed}
      value={isFixed ? fixed[name] : fields[name]}
      {...(rows !== undefined && { rows })}
      error={fieldProblemText(problems[name], name === 'stakeDecimals' ? String : formatSpan)}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  if (isFixed || !PERCENTAGES.includes(name)) return input
  return (
    <div className="field">
      {input}
      <PercentDoubt text={fields[name]} onChange={(value) => onChange({ [name]: value })} />
    </div>
  )
}

function inForceText<T>(resolved: Resolved<T> | undefined, say: (value: NonNullable<T>) => string): string {
  if (resolved === undefined) return ruleTexts.asService
  const { value, from } = resolved
  return ruleTexts.inForce(value === undefined || value === null ? ruleTexts.noLimit : say(value), from)
}

/** A value that this browser set before the server's configuration did is stored, but not used. */
const withOwn = (hint: string, fixed: string, own: string): string =>
  fixed === '' ? hint : joined(' ', [hint, ruleTexts.fixed, own !== '' && ruleTexts.ownKept(own)])

const symbolText = (symbol: string): string => (symbol === '' ? ruleTexts.noSymbol : symbol)

type WordFieldsProps = {
  readonly words: RuleFields['statusWords']
  /** Values from the server's configuration. */
  readonly fixed: RuleFields['statusWords']
  /** State words as services sent them. */
  readonly seen: readonly string[]
  /** Undefined if they differ between services. */
  readonly inForce: EffectiveSettings['statusWords'] | undefined
  readonly onChange: (words: RuleFields['statusWords']) => void
}

function WordFields({ words: set, fixed, seen, inForce, onChange }: WordFieldsProps) {
  const [typed, setTyped] = useState('')
  const [added, setAdded] = useState<readonly string[]>([])
  const all = Array.from(
    new Set([...[...fixed, ...set].map(({ word }) => word), ...(inForce?.keys() ?? []), ...seen, ...added]),
  ).slice(0, STATUS_WORDS_MAX)
  const say = (word: string, means: RuleFields['statusWords'][number]['means'] | ''): void => {
    const others = set.filter((each) => each.word !== word)
    onChange(means === '' ? others : [...others, { word, means }])
  }
  const add = (): void => {
    // Not trimmed, because " ACTIVE" and "ACTIVE" are different words.
    if (typed === '') return
    setAdded((now) => [...now, cutText(typed, STATUS_WORD_CHARS_MAX)])
    setTyped('')
  }
  return (
    <div className="settings-layout-fields">
      {all.map((word) => {
        const resolved = inForce?.get(word)
        const meaningIn = (list: RuleFields['statusWords']) => list.find((each) => each.word === word)?.means
        const [theirs, own] = [meaningIn(fixed), meaningIn(set)]
        return (
          <SelectField
            key={word}
            label={words.word(toVisibleText(word))}
            hint={withOwn(
              resolved === undefined
                ? words.meanings['']
                : `${words.meanings[resolved.value]}, ${originText(resolved.from)}.`,
              theirs ?? '',
              own === undefined ? '' : words.meanings[own],
            )}
            disabled={theirs !== undefined}
            value={theirs ?? own ?? ''}
            options={optionsOf({ ...words.meanings, '': ruleTexts.notSet })}
            onChange={(means) => say(word, means)}
          />
        )
      })}
      <div className="field">
        <TextField label={words.newWord} hint={words.newWordHint} value={typed} onChange={setTyped} />
        <div>
          <Button size="small" disabled={typed === ''} onClick={add}>
            {words.addWord}
          </Button>
        </div>
      </div>
    </div>
  )
}
