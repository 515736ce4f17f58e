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
  switch (kind) {
    case 'unknown-field':
      return `Unknown field “${name}”.`
    case 'bad-operator':
      return `“${name}” can’t be compared like that.`
    case 'no-value':
      return 'A value is missing.'
    case 'bad-duration':
      return 'Use a duration such as 90s, 5m or 1h.'
    case 'bad-share':
      return 'Use a ratio such as 97% or 0.97.'
    case 'bad-number':
      return 'Use a number such as 5000, 5k or 1e6.'
    case 'unknown-condition':
      return `Use one of ${CONDITIONS.join(', ')}.`
    case 'unknown-state':
      return `Use one of ${STATES.join(', ')}.`
    case 'open-quote':
      return 'A quote is not closed.'
    case 'too-many':
      return 'A filter has at most 40 terms.'
  }
}
