import { folded } from '#base/read-text.ts'

export type Choice = {
  readonly id: string
  readonly group: ChoiceGroup
  /** In lower case. */
  readonly title: string
  /** Additional search words, in lower case. */
  readonly words: string
}

export const GROUPS = ['selection', 'nodes', 'views', 'pages', 'actions', 'settings', 'tags'] as const
export type ChoiceGroup = (typeof GROUPS)[number]

/** Limit for each group, so that many nodes of the same name hide no page. */
const GROUP_ROWS_MAX = 20

export type Found<C> = {
  /** Groups by their best match, each with its best match first. */
  readonly groups: readonly { readonly group: ChoiceGroup; readonly choices: readonly C[] }[]
  readonly all: number
  /** Matches beyond the groups' limits. */
  readonly hidden: number
}

/** Matches entries that contain every word of the query. A single pass, so that thousands of nodes take a few milliseconds. */
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
    // The sort is stable, so entries of equal rank keep their order.
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

/** Lower is better; undefined if a word does not match. */
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
