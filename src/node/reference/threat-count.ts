import { drawBinomial, drawNormal, draw, type SeedWords } from './random.ts'

/** A life of a node is shorter than this many seconds: see `LIFE_WINDOW_S` in network.ts. */
const SPAN_LOG2 = 21
const SPAN_S = 2 ** SPAN_LOG2

/** How unevenly a span's threats fall on its halves: hardly over days, in bursts within the hour. */
const unevenness = (spanS: number): number => (spanS > 4_096 ? 0.02 : spanS > 32 ? 0.2 : 0.08)

/**
 * Threat responses in the first `elapsedS` seconds of a life. The whole span's number is
 * drawn first and then split between its halves, again and again, down to the second:
 * 21 draws for any moment, the parts always add up, and so the counter never falls.
 */
export function threatCount(seed: SeedWords, node: number, life: number, elapsedS: number): number {
  const perMinute = 2 + 4 * draw(seed, node, 20)
  const mean = (perMinute / 60) * SPAN_S
  let inSpan = Math.max(0, Math.round(mean + Math.sqrt(mean) * drawNormal(seed, node, 21, life)))
  let before = 0
  let spanS = SPAN_S
  let startS = 0
  const untilS = Math.min(SPAN_S, Math.max(0, Math.floor(elapsedS)))
  if (untilS === SPAN_S) return inSpan
  while (spanS > 1 && inSpan > 0) {
    const halfS = spanS / 2
    const tilt = unevenness(spanS) * drawNormal(seed, node, 22, life, halfS, startS)
    const share = Math.min(0.95, Math.max(0.05, 0.5 + tilt))
    const inFirst = drawBinomial(seed, inSpan, share, node, 23, life, halfS, startS)
    if (untilS < startS + halfS) inSpan = inFirst
    else {
      before += inFirst
      inSpan -= inFirst
      startS += halfS
    }
    spanS = halfS
  }
  return before
}
