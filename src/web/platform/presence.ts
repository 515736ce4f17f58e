const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

/** Calls when somebody does something on this page. Returns the end of it. */
export function watchPresence(onSign: () => void): () => void {
  for (const sign of SIGNS) addEventListener(sign, onSign, { passive: true, capture: true })
  return () => {
    for (const sign of SIGNS) removeEventListener(sign, onSign, { capture: true })
  }
}
