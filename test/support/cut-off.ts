import type { Page } from 'playwright-core'

/**
 * Lists what a user can't see or reach at this page width: sideways scrolling, controls beyond an edge that nothing
 * scrolls to, drawings that overlap their neighbours, and text that is cut without both "…" and a title with the full
 * text. Ids must never be cut.
 */
export const cutOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const SLACK_PX = 1.5
    /** The visible part of a control must be at least this large to be clickable. */
    const TARGET_PX = 24
    const CONTROLS = 'a, button, input, select, textarea, summary, [role="button"], [tabindex="0"]'
    const root = document.documentElement
    const found = new Set<string>()
    if (root.scrollWidth > root.clientWidth)
      found.add(`the page scrolls sideways, ${root.scrollWidth} in ${root.clientWidth} px`)

    /** Cached per element, because computed styles are most of the work; nothing moves during this check. */
    const known = new Map<Element, Facts>()
    type Facts = ReturnType<typeof read>
    const read = (element: Element) => {
      const { position, display, clipPath, overflowX, overflowY, contain } = getComputedStyle(element)
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const isPainted = /strict|content|paint/.test(contain)
      return {
        part: { left, right, top, bottom },
        isFixed: position === 'fixed',
        isInline: display === 'inline',
        isClipped: clipPath === 'inset(50%)',
        cutsX: overflowX !== 'visible' || isPainted,
        cutsY: overflowY !== 'visible' || isPainted,
        scrollsX: /auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth,
        scrollsY: /auto|scroll/.test(overflowY),
      }
    }
    const factsOf = (element: Element): Facts => {
      const facts = known.get(element) ?? read(element)
      known.set(element, facts)
      return facts
    }
    function* chainOf(element: Element): Generator<Element> {
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
        yield at
        if (factsOf(at).isFixed) return
      }
    }
    const isSeen = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.closest('.visually-hidden, .app-shell-skip, [aria-hidden="true"]') === null &&
      Array.from(chainOf(element)).every((each) => !factsOf(each).isClipped)

    type Part = {
      readonly left: number
      readonly right: number
      readonly top: number
      readonly bottom: number
    }
    const PAGE: Part = { left: 0, right: root.clientWidth, top: -Infinity, bottom: Infinity }

    /** The visible part of a box, with its scrollers scrolled to it, and the first ancestor that cuts it. */
    function seenOf(
      element: Element,
      box: Part,
      itself: boolean,
    ): { seen: Part; cutter: Element | undefined } {
      let seen = box
      let cutter: Element | undefined
      const chain = Array.from(chainOf(element))
      let [scrollsX, scrollsY] = [false, false]
      for (const each of itself ? chain : chain.slice(1)) {
        const facts = factsOf(each)
        if (facts.isInline) continue
        scrollsX ||= facts.scrollsX
        scrollsY ||= facts.scrollsY
        const cutsX = !scrollsX && facts.cutsX
        const cutsY = !scrollsY && facts.cutsY
        const { left, right, top, bottom } = facts.part
        const next: Part = {
          left: cutsX ? Math.max(seen.left, left) : seen.left,
          right: cutsX ? Math.min(seen.right, right) : seen.right,
          top: cutsY ? Math.max(seen.top, top) : seen.top,
          bottom: cutsY ? Math.min(seen.bottom, bottom) : seen.bottom,
        }
        if (isLess(next, seen)) cutter ??= each
        seen = next
      }
      if (scrollsX) return { seen, cutter }
      const onPage = {
        ...seen,
        left: Math.max(seen.left, PAGE.left),
        right: Math.min(seen.right, PAGE.right),
      }
      return { seen: onPage, cutter }
    }
    const isLess = (part: Part, whole: Part): boolean =>
      part.left > whole.left + SLACK_PX ||
      part.right < whole.right - SLACK_PX ||
      // Half the line height is enough, because a line box is higher than its letters.
      part.bottom - part.top < (whole.bottom - whole.top) * 0.6

    /** A wrapping line hides whole items that do not fit, such as the last tags; keyboard focus reveals them. */
    const isLeftOut = (seen: Part, cutter: Element | undefined): boolean =>
      cutter !== undefined &&
      getComputedStyle(cutter).flexWrap === 'wrap' &&
      seen.bottom <= seen.top + SLACK_PX

    const nameOf = (element: Element): string => {
      const path = Array.from(chainOf(element)).slice(0, 4).toReversed()
      const names = path.map((each) => [each.localName, ...each.classList].join('.'))
      return `${names.join(' > ')} “${(element.textContent ?? '').trim().slice(0, 40)}”`
    }

    for (const control of document.querySelectorAll(CONTROLS)) {
      const box = control.getBoundingClientRect()
      if (box.width === 0 || !isSeen(control)) continue
      const { seen, cutter } = seenOf(control, box, false)
      if (isLeftOut(seen, cutter)) continue
      const needed = { width: Math.min(TARGET_PX, box.width), height: Math.min(TARGET_PX, box.height) }
      const isText = getComputedStyle(control).display === 'inline'
      const isWhole = !isLess(seen, box)
      const isHit =
        seen.right - seen.left >= needed.width - SLACK_PX && seen.bottom - seen.top >= needed.height * 0.6
      // Enough of a link remains in a line that ends in "…"; the text has the rest.
      if (!(isText ? isHit : isWhole)) found.add(`out of reach: ${nameOf(control)}`)
    }

    for (const drawing of document.querySelectorAll('svg')) {
      const [box, place] = [drawing.getBoundingClientRect(), drawing.parentElement?.getBoundingClientRect()]
      const isOver =
        place !== undefined && (box.right > place.right + SLACK_PX || box.left < place.left - SLACK_PX)
      if (box.width > 0 && isOver && isSeen(drawing)) found.add(`drawn beyond its place: ${nameOf(drawing)}`)
    }

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      const element = text.parentElement
      if (element === null || (text.textContent ?? '').trim() === '') continue
      if (element.closest('svg, script, style, option, textarea') !== null || !isSeen(element)) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      const boxes = Array.from(range.getClientRects()).filter(({ width }) => width > 0)
      const cuts = boxes.map((box) => ({ box, ...seenOf(element, box, true) }))
      const cut = cuts.find(({ box, seen }) => isLess(seen, box))
      if (cut === undefined) continue
      if (isLeftOut(cut.seen, cut.cutter)) continue
      const hasDots = cut.cutter !== undefined && getComputedStyle(cut.cutter).textOverflow === 'ellipsis'
      // Cut elements get their title on hover.
      element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
      const isId = /0x[0-9a-f]+…/.test(text.textContent ?? '')
      if (!isId && hasDots && element.closest('[title]') !== null) continue
      found.add(`cut${hasDots ? ' with …' : ''}${isId ? ', an id' : ''}: ${nameOf(element)}`)
    }
    return Array.from(found)
  })
