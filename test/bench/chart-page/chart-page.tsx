import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { Line, LineChart, Tooltip, XAxis, YAxis } from 'recharts'
import UPlot from 'uplot'
import { axis, reduced, samples, valueAt, FROM_MS, SAMPLES, STEP_MS, type Series } from './month.ts'
import { OurChart } from './our-chart.tsx'
import '#app/styles.css'

export type ChartContender = 'ours' | 'recharts' | 'uplot'

/** All contenders draw at this size, in CSS pixels. */
const WIDTH_PX = 1_000
const PLOT_HEIGHT_PX = 300

type Chart = { readonly append: () => void; readonly remove: () => void }

const host = document.body.appendChild(document.createElement('div'))
host.style.width = `${WIDTH_PX}px`

const MOST = 40
const all = samples(MOST)
/** The month with 0 to MOST more samples, computed in advance because the engine's Worker does this in the product. */
const months: readonly Series[] = Array.from({ length: MOST }, (_, more) =>
  reduced({ atMs: all.atMs.subarray(0, SAMPLES + more), value: all.value.subarray(0, SAMPLES + more) }, more),
)
const monthAt = (more: number): Series => months[more % MOST] ?? all

function mounted(render: (root: Root, more: number) => void): Chart {
  const root = createRoot(host)
  let more = 0
  flushSync(() => render(root, more))
  return {
    append: () => flushSync(() => render(root, ++more)),
    remove: () => flushSync(() => root.unmount()),
  }
}

type Row = { readonly atMs: number; readonly value: number }
const rowAt = (place: number): Row => ({ atMs: FROM_MS + place * STEP_MS, value: valueAt(place) })
let rows: readonly Row[] | undefined

const CHARTS: Readonly<Record<ChartContender, () => Chart>> = {
  ours: () =>
    mounted((root, more) => root.render(<OurChart points={monthAt(more)} {...axis(more % MOST)} />)),
  recharts: () => {
    const month = (rows ??= Array.from({ length: SAMPLES }, (_, place) => rowAt(place)))
    return mounted((root, more) => {
      const data = [...month, ...Array.from({ length: more }, (_, place) => rowAt(SAMPLES + place))]
      root.render(
        <LineChart width={WIDTH_PX} height={PLOT_HEIGHT_PX} data={data}>
          <XAxis dataKey="atMs" type="number" domain={['dataMin', 'dataMax']} />
          <YAxis domain={['auto', 'auto']} />
          <Tooltip />
          <Line dataKey="value" dot={false} isAnimationActive={false} />
        </LineChart>,
      )
    })
  },
  uplot: () => {
    const dataAt = (more: number) => {
      const { atMs, value } = monthAt(more)
      return [atMs.map((ms) => ms / 1_000), value] satisfies UPlot.AlignedData
    }
    const chart = new UPlot(
      { width: WIDTH_PX, height: PLOT_HEIGHT_PX, series: [{}, { stroke: '#888' }] },
      dataAt(0),
      host,
    )
    let more = 0
    return { append: () => chart.setData(dataAt(++more)), remove: () => chart.destroy() }
  },
}

/** Resolves after the browser has painted what was drawn. */
const painted = () =>
  new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))

let chart: Chart | undefined

const act = {
  mount: async (contender: ChartContender) => {
    chart = CHARTS[contender]()
    await painted()
    if (host.querySelector('canvas, path.plot-line, path.recharts-line-curve') === null)
      throw new Error(`${contender} drew nothing`)
  },
  append: async () => {
    chart?.append()
    await painted()
  },
  remove: async () => {
    chart?.remove()
    await painted()
  },
}

declare global {
  var benchChart: typeof act
}
globalThis.benchChart = act
