/** Ancestors of the hovered element that are checked for cut-off text. */
const LEVELS_MAX = 4

/** Elements whose title was set here; other titles are left alone. */
const given = new WeakSet<Element>()

/** From now on, hovering over text that is cut off with "…" shows it in full as a title. */
export function showCutTitles(page: Document): void {
  page.addEventListener('mouseover', ({ target }) => {
    if (target instanceof Element) giveTitle(target)
  })
}

function giveTitle(from: Element): void {
  let at: Element | null = from
  for (let level = 0; at instanceof HTMLElement && level < LEVELS_MAX; level++, at = at.parentElement) {
    if (at.title !== '' && !given.has(at)) return
    if (getComputedStyle(at).textOverflow !== 'ellipsis') continue
    // Either a single line cut at its end or the last of several lines.
    if (at.scrollWidth > at.clientWidth || at.scrollHeight > at.clientHeight + 2) {
      given.add(at)
      at.title = at.textContent
    } else if (given.has(at)) at.removeAttribute('title')
    return
  }
}
