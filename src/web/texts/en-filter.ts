import { toVisibleText } from '#base/visible-text.ts'
import { CONDITIONS, STATES, type FilterProblem } from '#fleet/fleet-filter.ts'
import { formatCount } from './format.ts'

export const filterTexts = {
  label: 'Filter nodes',
  placeholder: 'Filter: name, id, status:ACTIVE, age>1m',
  clear: 'Clear filter',
  suggestions: 'Suggestions',
  count: (shown: number, all: number) => `${formatCount(shown)} of ${formatCount(all)} nodes`,
  fields: {
    name: 'Name',
    id: 'Node id',
    tag: 'Tag',
    service: 'Service',
    condition: 'Condition',
    is: 'Alarms and answers',
  },
  problem: (problem: FilterProblem): string =>
    `Not applied: ${toVisibleText(problem.term.slice(0, SHOWN_MAX))}. ${why(problem)}`,
} as const

/** A term may be as long as the URL allows, so messages cut it. */
const SHOWN_MAX = 60

function why({ kind, field }: FilterProblem): string {
  const name = toVisibleText(field)
  const sentences: Readonly<Record<FilterProblem['kind'], string>> = {
    'unknown-field': `Unknown field “${name}”.`,
    'bad-operator': `“${name}” can’t be compared like that.`,
    'no-value': 'A value is missing.',
    'bad-duration': 'Use a duration such as 90s, 5m or 1h.',
    'bad-share': 'Use a percentage or a ratio, such as 97% or 0.97.',
    'bad-number': 'Use a number such as 5000, 5k or 1e6.',
    'unknown-condition': `Use one of ${CONDITIONS.join(', ')}.`,
    'unknown-state': `Use one of ${STATES.join(', ')}.`,
    'open-quote': 'A quote is not closed.',
    'too-many': 'A filter has at most 40 terms.',
  }
  return sentences[kind]
}
