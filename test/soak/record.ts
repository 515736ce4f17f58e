import type { Counts, Gate, Sample } from './judge.ts'

/** The data of a soak's section in the document. */
type Recorded = {
  readonly name: string
  readonly line: string
  readonly date: string
  readonly commit: string
  readonly samples: readonly Sample[]
  readonly counts: Counts
  readonly gates: readonly Gate[]
}

/** Maximum number of table rows, apart from the last sample. */
const ROWS = 10

export function section({ name, line, date, commit, samples, counts, gates }: Recorded): string {
  const failed = gates.filter(({ result }) => result !== 'passed')
  const step = Math.max(1, Math.floor(samples.length / ROWS))
  const shown = samples.filter((_, place) => place % step === 0 || place === samples.length - 1)
  const mb = (value: number): string => value.toFixed(1)
  return [
    `## ${name}`,
    '',
    `${date}, at ${commit}: ${line}; ${gates.length - failed.length} of ${gates.length} gates passed.`,
    `${counts.slots.toLocaleString('en')} slots, ${counts.records.toLocaleString('en')} records, at most ${counts.maxInFlight} in flight.`,
    '',
    ...failed.map(
      ({ name: gate, result, measured, limit }) => `- ${result}: ${gate}: ${measured} (${limit})`,
    ),
    ...(failed.length > 0 ? [''] : []),
    '| slots | heap of page, engine, signer (MB) | renderers (MB) | elements | listeners of page and engine | timers of page and engine |',
    '| --- | --- | --- | --- | --- | --- |',
    ...shown.map(
      ({ polls, page, engine, signer, residentMb, domNodes }) =>
        `| ${polls.toLocaleString('en')} | ${[page, engine, signer].map(({ heapMb }) => mb(heapMb)).join(', ')} | ${mb(residentMb)} | ${domNodes.toLocaleString('en')} | ${page.listeners}, ${engine.listeners} | ${page.timers}, ${engine.timers} |`,
    ),
    '',
  ].join('\n')
}

/** The document with this section in place of the one with the same name, or at the end. */
export function withSection(document: string, name: string, text: string): string {
  const [head = '', ...sections] = document.split(/^(?=## )/m)
  const isSame = (one: string): boolean => one.startsWith(`## ${name}\n`)
  const all = sections.some(isSame) ? sections.map((one) => (isSame(one) ? text : one)) : [...sections, text]
  return [head.trimEnd(), ...all.map((one) => one.trimEnd())].join('\n\n') + '\n'
}
