import { median, rounded, type Figure } from './figure.ts'
import { openBenchPage } from './bench-page.ts'
import type { Contender } from './page/signing-page.ts'

/** Medians are stable with this many rounds. A slice is long compared with the cost of starting it. */
const ROUNDS = 15
const SLICE_MS = 150

const CONTENDERS: readonly Contender[] = ['webcrypto', 'tweetnacl', 'port', 'proof', 'proof-tweetnacl']

/** CPU time of the page's main thread per signature, and signatures per second, without concurrency. */
type Sample = { readonly cpuMs: number; readonly perSecond: number }

/**
 * Thread time per signature, directly and through the signer's port, and per proof check of the engine. A fleet of
 * 1,000 nodes pays 1,000 times this per round.
 */
export async function measureSigning(say: (line: string) => void): Promise<readonly Figure[]> {
  const bench = await openBenchPage('page')
  const samples: Record<Contender, Sample[]> = {
    webcrypto: [],
    tweetnacl: [],
    port: [],
    proof: [],
    'proof-tweetnacl': [],
  }
  try {
    // The first round is a warm-up and does not count.
    for (let round = -1; round < ROUNDS; round++)
      for (const contender of CONTENDERS) {
        const beforeMs = await bench.mainCpuMs()
        const { count, wallMs } = await bench.page.evaluate(
          ([which, ms]) => globalThis.benchSlice(which, ms),
          [contender, SLICE_MS] as const,
        )
        const cpuMs = ((await bench.mainCpuMs()) - beforeMs) / count
        if (round >= 0) samples[contender].push({ cpuMs, perSecond: (count * 1_000) / wallMs })
      }
  } finally {
    await bench.close()
  }
  for (const contender of CONTENDERS)
    say(`${contender}: ${Math.round(median(samples[contender].map((s) => s.perSecond)))} a second`)

  const figure = (
    name: string,
    contender: Contender,
    limit: number | null,
    rival: Contender = 'tweetnacl',
  ): Figure => ({
    name,
    unit: `ms of main-thread CPU per ${contender === 'proof' ? 'proof' : 'signature'}`,
    ours: rounded(median(samples[contender].map(({ cpuMs }) => cpuMs))),
    rival: rounded(median(samples[rival].map(({ cpuMs }) => cpuMs))),
    rivalName: rival === 'tweetnacl' ? 'tweetnacl sign.detached' : 'tweetnacl sign.detached.verify alone',
    // Ratios are computed per round, because a slow round affects both sides.
    ratio: rounded(median(samples[contender].map(({ cpuMs }, i) => (samples[rival][i]?.cpuMs ?? 0) / cpuMs))),
    limit,
    direction: 'higher',
  })
  return [
    figure('signing', 'webcrypto', 80),
    figure('signing-through-port', 'port', null),
    figure('proof-check', 'proof', 20, 'proof-tweetnacl'),
  ]
}
