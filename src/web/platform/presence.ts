const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

export function watchPresence(onSign: () => void): () => void {
  for (const sign of SIGNS) addEventListener(sign, onSign, { passive: true, capture: true })
  return () => {
    for (const sign of SIGNS) removeEventListener(sign, onSign, { capture: true })
  }
}
