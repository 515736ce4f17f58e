/** A text with plain spaces in the place of those that do not break. */
export const read = (text: string | null | undefined): string => (text ?? '').replaceAll('\u00a0', ' ')

export const textsOf = (elements: readonly Element[]): readonly string[] =>
  elements.map(({ textContent }) => textContent)

/** What is read out after a field's name: its hint and what is wrong with it. */
export const descriptionOf = (field: HTMLElement): string =>
  (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')
