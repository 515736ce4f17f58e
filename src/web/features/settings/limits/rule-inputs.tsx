import type { EffectiveSettings, Resolved } from '#settings/effective-settings.ts'
import type { FieldProblems } from '#settings/form-draft.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { ruleTexts } from '#texts/en-rules.ts'
import { formatExact, formatPercent, formatSpan } from '#texts/format.ts'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import type { RuleFields } from './rule-fields.ts'

const words = ruleTexts.fields

type InputsProps = {
  readonly fields: RuleFields
  readonly problems: FieldProblems<RuleFields>
  /** What is in force; undefined where it differs from service to service. */
  readonly settings: EffectiveSettings | undefined
  readonly onChange: (part: Partial<RuleFields>) => void
}

/** Fields that hold one text each. */
type TextName = Exclude<keyof RuleFields, 'participation' | 'heartbeat' | 'statusWords'>

type UnitInputsProps = InputsProps & {
  /** Further fields that records had. */
  readonly seen: readonly string[]
  /** What heartbeats turned out to be given in. */
  readonly heartbeatUnit: 's' | 'ms' | undefined
}

export function UnitInputs({ seen, heartbeatUnit, ...props }: UnitInputsProps) {
  const { fields, settings, onChange } = props
  return (
    <FieldGrid>
      <SelectField
        label={words.participation}
        hint={inForce(settings?.participation, (unit) => words.participationNames[unit])}
        value={fields.participation}
        options={optionsOf(['detect', 'ratio', 'percent'], words.participationNames)}
        onChange={(participation) => onChange({ participation })}
      />
      <SelectField
        label={words.heartbeat}
        hint={inForce(
          settings?.heartbeat,
          (unit) => words.heartbeatNames[unit === 'detect' ? (heartbeatUnit ?? unit) : unit],
        )}
        value={fields.heartbeat}
        options={optionsOf(['detect', 's', 'ms'], words.heartbeatNames)}
        onChange={(heartbeat) => onChange({ heartbeat })}
      />
      <Input
        {...props}
        name="heartbeatPeriod"
        hint={words.heartbeatPeriodHint(inForce(settings?.heartbeatPeriodMs, formatSpan))}
      />
      <Input {...props} name="stakeSymbol" hint={inForce(settings?.stakeSymbol, symbolText)} />
      <Input {...props} name="stakeDecimals" hint={inForce(settings?.stakeDecimals, String)} />
      <Input
        {...props}
        name="extraFields"
        hint={seen.length === 0 ? words.extraFieldsHint : words.extraFieldsSeen(seen)}
        rows={3}
      />
    </FieldGrid>
  )
}

export const LimitInputs = (props: InputsProps) => (
  <FieldGrid>
    <Input
      {...props}
      name="participationBelow"
      hint={inForce(props.settings?.participationBelow, formatPercent)}
    />
    <Input
      {...props}
      name="participationAbove"
      hint={inForce(props.settings?.participationAbove, formatPercent)}
    />
    <Input {...props} name="stakeBelow" hint={inForce(props.settings?.stakeBelow, formatExact)} />
    <Input
      {...props}
      name="heartbeatWarning"
      hint={inForce(props.settings?.heartbeatWarningMs, formatSpan)}
    />
    <Input
      {...props}
      name="heartbeatCritical"
      hint={inForce(props.settings?.heartbeatCriticalMs, formatSpan)}
    />
    <Input {...props} name="answerTime" hint={inForce(props.settings?.answerTimeAboveMs, formatSpan)} />
  </FieldGrid>
)

type InputProps = InputsProps & { readonly name: TextName; readonly hint: string; readonly rows?: number }

function Input({ fields, problems, onChange, name, hint, rows }: InputProps) {
  return (
    <TextField
      label={words[name]}
      hint={hint}
      value={fields[name]}
      {...(rows !== undefined && { rows })}
      error={fieldProblemText(problems[name], name === 'stakeDecimals' ? String : formatSpan)}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
}

/** The value in force, and where it comes from. */
function inForce<T>(resolved: Resolved<T> | undefined, say: (value: NonNullable<T>) => string): string {
  if (resolved === undefined) return ruleTexts.asService
  const { value, from } = resolved
  return ruleTexts.inForce(value === undefined || value === null ? ruleTexts.noLimit : say(value), from)
}

const symbolText = (symbol: string): string => (symbol === '' ? ruleTexts.noSymbol : symbol)

const optionsOf = <const V extends string>(values: readonly V[], names: { readonly [name in V]: string }) => [
  { value: '' as const, label: ruleTexts.notSet },
  ...values.map((value) => ({ value, label: names[value] })),
]
