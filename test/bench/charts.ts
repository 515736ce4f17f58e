import { openBenchPage } from './bench-page.ts'
import type { ChartContender } from './chart-page/chart-page.tsx'
import { beside, median, type Figure } from './figure.ts'

/** Measured rounds. Recharts on every point takes seconds per mount, so it gets few. */
const ROUNDS: Readonly<Record<ChartContender, number>> = { ours: 9, uplot: 9, recharts: 2 }
const APPENDS = 5

type Cpu = { readonly mountMs: number[]; readonly appendMs: number[] }

/** Main-thread CPU time of a chart of 30 days with a sample every 10 s: to mount it, and to append one sample. */
export async function measureCharts(say: (line: string) => void): Promise<readonly Figure[]> {
  const bench = await openBenchPage('chart-page')
  const cpu: Record<ChartContender, Cpu> = {
    ours: { mountMs: [], appendMs: [] },
    uplot: { mountMs: [], appendMs: [] },
    recharts: { mountMs: [], appendMs: [] },
  }
  const spent = async (act: () => Promise<void>): Promise<number> => {
    const beforeMs = await bench.mainCpuMs()
    await act()
    return (await bench.mainCpuMs()) - beforeMs
  }
  try {
    // The first round is a warm-up and does not count.
    for (let round = -1; round < ROUNDS.ours; round++)
      for (const contender of ['ours', 'uplot', 'recharts'] as const) {
        if (round >= ROUNDS[contender]) continue
        const mountMs = await spent(() =>
          bench.page.evaluate((which) => globalThis.benchChart.mount(which), contender),
        )
        if (round >= 0) cpu[contender].mountMs.push(mountMs)
        for (let append = 0; append < APPENDS; append++) {
          const appendMs = await spent(() => bench.page.evaluate(() => globalThis.benchChart.append()))
          if (round >= 0) cpu[contender].appendMs.push(appendMs)
        }
        await bench.page.evaluate(() => globalThis.benchChart.remove())
      }
  } finally {
    await bench.close()
  }
  say(
    `charts: ${cpu.ours.mountMs.length} mounts, ${cpu.ours.appendMs.length} appends of ours in the same page as the rivals`,
  )
  const figure = (
    name: string,
    what: keyof Cpu,
    contender: ChartContender,
    rivalName: string,
    limit: number,
  ): Figure =>
    beside(
      name,
      'ms of main-thread CPU',
      median(cpu.ours[what]),
      median(cpu[contender][what]),
      rivalName,
      limit,
    )
  const naive = 'Recharts on every point'
  const uplot = 'uPlot on the same reduced points'
  return [
    figure('chart-mount-30d', 'mountMs', 'recharts', naive, 100),
    figure('chart-append-30d', 'appendMs', 'recharts', naive, 80),
    figure('chart-mount-30d-vs-uplot', 'mountMs', 'uplot', uplot, 1 / 1.6),
    figure('chart-append-30d-vs-uplot', 'appendMs', 'uplot', uplot, 1 / 1.2),
  ]
}
