/** All lengths in the wall's unit, 1/100 of the screen height. */
type Box = { readonly width: number; readonly height: number }

/**
 * Layout of all nodes: cards with figures, names, or cells of a map. `text` is the size of a name, `lines` the number of
 * figures that fit on a card.
 */
export type NodesLayout =
  | { readonly kind: 'cards'; readonly columns: number; readonly text: number; readonly lines: number }
  | { readonly kind: 'names'; readonly columns: number; readonly text: number }
  | { readonly kind: 'map' }

/** Smallest size that is readable at 5 metres on a screen of one metre. */
const TEXT_MIN = 3.4
const LETTER_EM = 0.56
/** A longer name is cut at its end. */
const LETTERS_MAX = 16

/** Sizes of a name cell in multiples of its text size: the space beside the name, and the line height. */
const NAME = { besideEm: 1.6, lineEm: 1.3, textMax: 5.2, gap: 0.6, gapAcross: 1.2 } as const
const FIGURE_EM = 0.85
const CARD = {
  widthEm: 12,
  besideEm: 2.6,
  headEm: 2.7,
  figureEm: FIGURE_EM * 1.3,
  linesMin: 2,
  textMax: 7,
  gap: 1.6,
} as const

/** The layout with the largest text that fits all nodes. `letters` is the length of the longest name. */
export function nodesLayout(count: number, letters: number, box: Box): NodesLayout {
  const known = Math.min(letters, LETTERS_MAX) * LETTER_EM
  const cards = bestColumns(count, box, ({ width, height }) =>
    Math.min(
      CARD.textMax,
      (width - CARD.gap) / Math.max(CARD.widthEm, known + CARD.besideEm),
      (height - CARD.gap) / (CARD.headEm + CARD.linesMin * CARD.figureEm),
    ),
  )
  if (cards.text * FIGURE_EM >= TEXT_MIN) {
    const height = box.height / Math.ceil(count / cards.columns) - CARD.gap
    const lines = Math.floor((height / cards.text - CARD.headEm) / CARD.figureEm + 1e-6)
    return { kind: 'cards', ...cards, lines }
  }
  const names = bestColumns(count, box, ({ width, height }) =>
    Math.min(
      NAME.textMax,
      (width - NAME.gapAcross) / (known + NAME.besideEm),
      (height - NAME.gap) / NAME.lineEm,
    ),
  )
  return names.text >= TEXT_MIN ? { kind: 'names', ...names } : { kind: 'map' }
}

/** With more columns, the text is never readable. */
const COLUMNS_MAX = 24

function bestColumns(count: number, { width, height }: Box, textIn: (cell: Box) => number) {
  let best = { columns: 1, text: 0 }
  for (let columns = 1; columns <= Math.min(count, COLUMNS_MAX); columns++) {
    const text = textIn({ width: width / columns, height: height / Math.ceil(count / columns) })
    if (text > best.text) best = { columns, text }
  }
  return best
}
