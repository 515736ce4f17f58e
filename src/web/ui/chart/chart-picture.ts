/** A chart as a separate SVG document. */
export type ChartPicture = { readonly svg: string; readonly widthPx: number; readonly heightPx: number }

const SVG = 'http://www.w3.org/2000/svg'
const HEAD_PX = 56
const PAD_PX = 12
/** The properties to copy into each shape, because the document has no style sheet. */
const LOOKS = (
  'fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin ' +
  'opacity font-size font-weight text-anchor visibility'
).split(' ')
const FONTS = "'IBM Plex Sans', system-ui, 'Segoe UI', sans-serif"
/** Controls, the crosshair, and texts for screen readers. */
const LEFT_OUT = 'button, details, .crosshair, .visually-hidden, .panel-foot'
/** The share of the line height above the baseline. */
const ASCENT = 0.788

/** Everything that a chart's element draws or writes, below a title and a line of remarks. */
export function pictureOf(chart: HTMLElement, title: string, note: string): ChartPicture {
  const frame = chart.getBoundingClientRect()
  // Only controls follow the legend.
  const end = chart.querySelector('.legend')?.getBoundingClientRect() ?? frame
  const [widthPx, heightPx] = [Math.ceil(frame.width), Math.ceil(end.bottom - frame.top) + HEAD_PX]
  const colour = createColours()
  const page = getComputedStyle(chart)
  const size = { width: widthPx, height: heightPx }
  const root = element('svg', { ...size, 'xml:space': 'preserve', 'font-family': FONTS })
  const head = { x: PAD_PX, fill: colour(page.color) }
  root.append(
    element('title', {}, title),
    element('rect', { ...size, fill: colour(page.backgroundColor) }),
    element('text', { ...head, y: 24, 'font-size': 16, 'font-weight': 600 }, title),
    element('text', { ...head, y: 44, 'font-size': 12 }, note),
  )
  const at = (rect: DOMRect) => ({ x: rect.left - frame.left, y: rect.top - frame.top + HEAD_PX })
  for (const drawing of chart.querySelectorAll('svg'))
    if (drawing.closest(LEFT_OUT) === null)
      root.append(drawn(drawing, at(drawing.getBoundingClientRect()), colour))
  const texts = document.createTreeWalker(chart, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const parent = node.parentElement
    if (parent === null || parent.closest(`svg, ${LEFT_OUT}`) !== null) continue
    const look = getComputedStyle(parent)
    const shared = { 'font-size': look.fontSize, 'font-weight': look.fontWeight, fill: colour(look.color) }
    const endPx = look.textOverflow === 'ellipsis' ? parent.getBoundingClientRect().right : frame.right
    for (const line of linesOf(node)) {
      const { text, rect } = cutAt(line, endPx)
      const { x, y } = at(rect)
      const place = {
        x,
        y: y + rect.height * ASCENT,
        textLength: rect.width,
        lengthAdjust: 'spacingAndGlyphs',
      }
      root.append(element('text', { ...shared, ...place }, text))
    }
  }
  return { svg: new XMLSerializer().serializeToString(root), widthPx, heightPx }
}

function element(name: string, attributes: Readonly<Record<string, string | number>>, text?: string) {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, typeof value === 'number' ? String(Math.round(value * 100) / 100) : value)
  if (text !== undefined) made.textContent = text
  return made
}

/** A copy that looks the same without a style sheet. */
function drawn(
  drawing: SVGSVGElement,
  { x, y }: { x: number; y: number },
  colour: (css: string) => string,
): Node {
  const copy = drawing.cloneNode(true)
  if (!(copy instanceof SVGElement)) return copy
  const { width, height } = drawing.getBoundingClientRect()
  const copies = [copy, ...copy.querySelectorAll('*')]
  for (const [place, original] of [drawing, ...drawing.querySelectorAll('*')].entries()) {
    const made = copies[place]
    const look = getComputedStyle(original)
    for (const name of ['class', 'style']) made?.removeAttribute(name)
    for (const name of LOOKS) {
      const value = look.getPropertyValue(name)
      if (value !== '') made?.setAttribute(name, name === 'fill' || name === 'stroke' ? colour(value) : value)
    }
  }
  for (const [name, value] of Object.entries({ x, y, width, height })) copy.setAttribute(name, String(value))
  return copy
}

type Line = { readonly text: string; readonly rect: DOMRect }

/** The lines of a text as the browser wrapped them. */
function linesOf(node: Node): readonly Line[] {
  const text = node.textContent ?? ''
  if (text.trim() === '') return []
  const range = document.createRange()
  const rectOf = (from: number, to: number): DOMRect => {
    range.setStart(node, from)
    range.setEnd(node, to)
    return range.getBoundingClientRect()
  }
  const lines: Line[] = []
  let start = 0
  for (let end = 1; end <= text.length; end++) {
    const isBroken = end < text.length && rectOf(end, end + 1).top > rectOf(start, end).bottom - 1
    if (!isBroken && end < text.length) continue
    const rect = rectOf(start, end)
    if (rect.width > 0) lines.push({ text: text.slice(start, end), rect })
    start = end
  }
  return lines
}

/** The line cut at this position, with an ellipsis. */
function cutAt(line: Line, endPx: number): Line {
  const { text, rect } = line
  const widthPx = Math.max(0, endPx - rect.left)
  if (rect.width <= widthPx + 1) return line
  const chars = Math.floor((text.length * widthPx) / rect.width) - 1
  return {
    text: chars > 0 ? `${text.slice(0, chars)}…` : '',
    rect: new DOMRect(rect.left, rect.top, widthPx, rect.height),
  }
}

/** Converts colours to rgb(), because few viewers other than browsers know other notations. */
function createColours(): (css: string) => string {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const known = new Map<string, string>()
  const rgb = (css: string): string => {
    if (canvas === null || !/^(oklch|oklab|color)/.test(css)) return css
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = css
    canvas.fillRect(0, 0, 1, 1)
    const [r = 0, g = 0, b = 0, a = 255] = canvas.getImageData(0, 0, 1, 1).data
    return a === 255 ? `rgb(${r},${g},${b})` : `rgba(${r},${g},${b},${Math.round((a / 255) * 1_000) / 1_000})`
  }
  return (css) => {
    const value = known.get(css) ?? rgb(css)
    known.set(css, value)
    return value
  }
}
