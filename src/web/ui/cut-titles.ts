/** Elements up from the one pointed at that may be the one which cuts. */
const LEVELS_MAX = 4

/** Titles that stand here because of a cut; the page's own are left alone. */
const given = new WeakSet<Element>()

/** From then on text that is cut with "…" is shown whole as its title, wherever it is pointed at. */
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
    // One line that is cut at its end, or the last of several.
    if (at.scrollWidth > at.clientWidth || at.scrollHeight > at.clientHeight + 2) {
      given.add(at)
      at.title = at.textContent
    } else if (given.has(at)) at.removeAttribute('title')
    return
  }
}
