import { expect, it } from 'vitest'
import { latencyBandLine } from '#features/node/latency-band.ts'

it('stands in the middle of its steps and is broken where one is missing', () => {
  const band = latencyBandLine({
    atMs: Float64Array.of(0, 60_000, 180_000),
    stepMs: 60_000,
    p50: Float64Array.of(80, 90, 100),
    p95: Float64Array.of(200, 210, 220),
  })
  expect(Array.from(band.points.atMs)).toEqual([30_000, 90_000, 150_000, 210_000])
  expect(Array.from(band.points.value)).toEqual([80, 90, Number.NaN, 100])
  expect(Array.from(band.upper)).toEqual([200, 210, Number.NaN, 220])
  expect(band.formatBand(80, 1_200).replaceAll('\u00a0', ' ')).toBe('p50 80 ms, p95 1,200 ms')
})
