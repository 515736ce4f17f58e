/** jsdom has no layout. These stand-ins give elements a size for components that measure themselves. */
const LANE_PX = 82
const PLOT_LEFT_PX = 224
const PAGE_WIDTH_PX = 1_092
const PAGE_HEIGHT_PX = 640

/** Reports each element once, as browsers do when observation begins. It never reports a resize. */
class OneShotResizeObserver implements ResizeObserver {
  private readonly report: ResizeObserverCallback
  constructor(report: ResizeObserverCallback) {
    this.report = report
  }
  observe(): void {
    this.report([], this)
  }
  unobserve(): void {}
  disconnect(): void {}
}

/** Rows with a `data-slot` are stacked to the right of the row headings; every other element covers the page. */
function rectOf(element: Element): DOMRect {
  const rows = Array.from(element.parentElement?.parentElement?.querySelectorAll('[data-slot]') ?? [])
  const place = rows.indexOf(element)
  return place < 0
    ? new DOMRect(0, 0, PAGE_WIDTH_PX, PAGE_HEIGHT_PX)
    : new DOMRect(PLOT_LEFT_PX, place * LANE_PX, PAGE_WIDTH_PX - PLOT_LEFT_PX, LANE_PX)
}

/** Call it in `beforeAll`: it applies to the whole file, which has its own window. */
export function giveLayout(): void {
  globalThis.ResizeObserver = OneShotResizeObserver
  window.matchMedia = (media) => ({
    media,
    matches: false,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => true,
  })
  Element.prototype.getBoundingClientRect = function (this: Element) {
    return rectOf(this)
  }
  Object.defineProperties(Element.prototype, {
    setPointerCapture: { configurable: true, value: () => {} },
    clientWidth: { configurable: true, get: () => PAGE_WIDTH_PX },
    clientHeight: { configurable: true, get: () => PAGE_HEIGHT_PX },
  })
}
