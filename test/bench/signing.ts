import { median, rounded, type Figure } from './figure.ts'
import { openBenchPage } from './bench-page.ts'
import type { Contender } from './page/signing-page.ts'

/** Enough for medians that hold still from run to run; one slice is long against what starting it costs. */
const ROUNDS = 15
const SLICE_MS = 150

const CONTENDERS: readonly Contender[] = ['webcrypto', 'tweetnacl', 'port', 'proof', 'proof-tweetnacl']

/** CPU time of the page's main thread per signature, and signatures a second, one at a time. */
type Sample = { readonly cpuMs: number; readonly perSecond: number }

/**
 * How much of a thread a signature costs: raw, and asked for through the signer's port; and a
 * record's proof, checked as the engine does. A thousand nodes cost a thousand times as much a round.
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
    // One round to warm up, which is not counted.
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
    // Round by round: what slows one round down slows both.
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
