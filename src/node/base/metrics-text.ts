export type Labels = Readonly<Record<string, string>>
export type Point = { readonly labels: Labels; readonly value: number }

export type MetricHead = { readonly name: string; readonly help: string; readonly type: 'gauge' | 'counter' }

/** The lines before a metric's points, in the text format of Prometheus. */
export const headText = ({ name, help, type }: MetricHead): string =>
  `# HELP ${name} ${escaped(help, /[\\\n]/g)}\n# TYPE ${name} ${type}\n`

export const linesOf = (name: string, points: readonly Point[]): string =>
  points.map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`).join('')

export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escaped(text, /[\\\n"]/g)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string, special: RegExp): string =>
  text.replace(special, (char) => (char === '\n' ? '\\n' : `\\${char}`))
