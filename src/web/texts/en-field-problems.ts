import type { FieldProblem, ValueProblem } from '#settings/documents.ts'
import { formatCount, formatSpan } from './format.ts'
import { settingName } from './en-setting-names.ts'

/** Below a field that searches its options. */
export const NO_MATCH = 'No match'

/** A form field's problem as text. `format` writes the bounds like the field's hint. */
export function fieldProblemText(
  problem: FieldProblem | undefined,
  format: (value: number) => string = String,
): string | undefined {
  switch (problem?.kind) {
    case undefined:
      return undefined
    case 'empty':
      return 'Enter a value.'
    case 'not-a-number':
      return 'Enter a number, such as 15 or 0.5.'
    case 'not-whole':
      return 'Enter a whole number.'
    case 'not-a-percentage':
      return 'Enter a percentage from 0 to 100.'
    case 'out-of-range':
      return `Between ${format(problem.min)} and ${format(problem.max)}.`
    case 'too-long':
      return `At most ${problem.max} characters.`
    case 'too-many':
      return `At most ${problem.max}.`
    case 'other':
      return `This ${problem.message}.`
  }
}

/** A value's problem with the name of its field: "Timeout: Between 1 s and 1 m." */
export function valueProblemText({ path, problem }: ValueProblem): string {
  const text = fieldProblemText(problem, path.endsWith('Ms') ? formatSpan : formatCount) ?? ''
  return path === '' ? text : `${settingName(path)}: ${text}`
}
