import { folded } from '#base/read-text.ts'

/** What the palette offers, apart from what it does. */
export type Choice = {
  /** Names it in the list of recent choices. */
  readonly id: string
  readonly group: ChoiceGroup
  /** As it is searched: in lower case. */
  readonly title: string
  /** Further words by which it is found, in lower case. */
  readonly words: string
}

export const GROUPS = ['selection', 'nodes', 'views', 'pages', 'actions', 'settings', 'tags'] as const
export type ChoiceGroup = (typeof GROUPS)[number]

/** Of each group, so that a name that thousands of nodes share hides no page. */
const GROUP_ROWS_MAX = 20

export type Found<C> = {
  /** Groups with the best first, in each the best first. */
  readonly groups: readonly { readonly group: ChoiceGroup; readonly choices: readonly C[] }[]
  readonly all: number
  /** Found and not in `groups`. */
  readonly hidden: number
}

/** Every word of the query has to be found. One pass, so that thousands of nodes cost a few milliseconds. */
export function findChoices<C extends Choice>(choices: readonly C[], query: string): Found<C> {
  const terms = folded(query).split(/\s+/).filter(Boolean)
  const ranked = new Map<ChoiceGroup, { choice: C; rank: number }[]>()
  let all = 0
  for (const choice of choices) {
    const rank = rankOf(choice, terms)
    if (rank === undefined) continue
    all++
    const group = ranked.get(choice.group)
    if (group === undefined) ranked.set(choice.group, [{ choice, rank }])
    else group.push({ choice, rank })
  }
  const groups = GROUPS.flatMap((group) => {
    // Sorting is stable: of equals the first that was offered goes first.
    const found = (ranked.get(group) ?? []).toSorted((a, b) => a.rank - b.rank)
    const [best] = found
    return best === undefined ? [] : [{ group, best: best.rank, found: found.slice(0, GROUP_ROWS_MAX) }]
  }).toSorted((a, b) => a.best - b.best)
  return {
    groups: groups.map(({ group, found }) => ({ group, choices: found.map(({ choice }) => choice) })),
    all,
    hidden: all - groups.reduce((sum, { found }) => sum + found.length, 0),
  }
}

/** The less the better; undefined where a word is not found. */
function rankOf({ title, words }: Choice, terms: readonly string[]): number | undefined {
  let sum = 0
  for (const term of terms) {
    const rank = termRank(title, words, term)
    if (rank === undefined) return undefined
    sum += rank
  }
  return sum
}

function termRank(title: string, words: string, term: string): number | undefined {
  if (title === term) return 0
  const at = title.indexOf(term)
  if (at === 0) return 1
  if (at > 0) return isWordStart(title, at) ? 2 : 3
  const inWords = words.indexOf(term)
  if (inWords === -1) return undefined
  return inWords === 0 || isWordStart(words, inWords) ? 4 : 5
}

const isWordStart = (text: string, at: number): boolean => /[^\p{L}\p{N}]/u.test(text.charAt(at - 1))
