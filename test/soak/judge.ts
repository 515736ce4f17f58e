/** Open resources of a page or Worker after a garbage collection. */
export type Open = {
  readonly heapMb: number
  readonly listeners: number
  readonly timers: number
  /** Open database connections. */
  readonly connections: number
  readonly channels: number
  readonly workers: number
  /** Requests and body reads in progress. */
  readonly inFlight: number
  /** Calls between page and Workers without an answer yet. */
  readonly calls: number
  readonly entries: number
  readonly marks: number
}

const REALMS = ['page', 'engine', 'signer'] as const

/** A snapshot taken during a soak. */
export type Sample = {
  /** Polls of the whole fleet so far. */
  readonly polls: number
  readonly domNodes: number
  /** Memory of the renderer processes, which run the page and its Workers. */
  readonly residentMb: number
} & Readonly<Record<(typeof REALMS)[number], Open>>

/** Totals of a whole soak. */
export type Counts = {
  /** Elapsed poll slots of all nodes. */
  readonly slots: number
  readonly nodes: number
  /** Requests that the service received. */
  readonly requests: number
  /** Requests that the engine signed and sent. The service receives more, because diagnostic requests are unsigned. */
  readonly polls: number
  readonly maxInFlight: number
  /** New records in history. */
  readonly records: number
  /** Gaps between two requests that differ from the interval by at most a tenth of it. */
  readonly onTime: number
  readonly spaces: number
  readonly errors: readonly string[]
  /** What the page shows at the end; `wantedState` is what it should show. */
  readonly endState: string
  readonly wantedState: string
}

export type Soaked = {
  readonly samples: readonly Sample[]
  readonly counts: Counts
  /** Faults came and went, so some slots have no request. */
  readonly isChurned: boolean
}

export type Gate = {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'too short'
  readonly measured: string
  readonly limit: string
}

/** The part of the results that the test runner reads. */
export type SoakReport = readonly { readonly name: string; readonly gates: readonly Gate[] }[]

/** After this share of the polls all panels were opened and midnight has passed, so little new code is compiled. */
const WARM_UP = 0.1
const WARM_UP_POLLS = 600
/** With fewer samples the noise of garbage collection hides the slope of a leak. */
const SAMPLES_MIN = 30
const POLLS_MIN = 1_400

const HEAP_SLOPE_MAX = 0.05
const HEAP_GROWTH_MAX_MB = 3
const RESIDENT_GROWTH_MAX = 0.15
const DOM_GROWTH_MAX = 100
const ENTRIES_MAX = 250
const PER_HOST_MAX = 4
const ON_TIME_MIN = 0.99
/** A beginning or an end is the median of this many samples. */
const ENDS = 5

/**
 * The growth of `y` per unit of `x`, as the median of the slopes between any two points. Samples taken while the page
 * still holds panels that it has just closed are a megabyte too high. They do not affect the median, but a leak does,
 * because it is in every sample.
 */
export const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number =>
  median(
    points.flatMap(([x, y], place) =>
      points.slice(place + 1).flatMap(([nextX, nextY]) => (nextX === x ? [] : [(nextY - y) / (nextX - x)])),
    ),
  )

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Judges a soak. Only a soak that is long enough can pass a gate. */
export function judge({ samples, counts, isChurned }: Soaked): readonly Gate[] {
  const warmUp = Math.max(WARM_UP_POLLS, (samples.at(-1)?.polls ?? 0) * WARM_UP)
  const settled = samples.filter((sample) => sample.polls > warmUp)
  const polls = (settled.at(-1)?.polls ?? 0) - (settled[0]?.polls ?? 0)
  const isLong = settled.length >= SAMPLES_MIN && polls >= POLLS_MIN
  const limited = (name: string, value: number, max: number, unit = ''): Gate => ({
    name,
    result: value > max ? 'failed' : isLong ? 'passed' : 'too short',
    measured: `${rounded(value)}${unit}`,
    limit: `at most ${rounded(max)}${unit}`,
  })
  const of = (read: (sample: Sample) => number): readonly number[] => settled.map(read)
  return [
    {
      name: 'long enough to judge',
      result: isLong ? 'passed' : 'too short',
      measured: `${settled.length} samples, ${polls} polls`,
      limit: `at least ${SAMPLES_MIN} samples and ${POLLS_MIN} polls after the warm-up`,
    },
    ...REALMS.flatMap((realm) => [
      limited(
        `${realm}: heap by 1,000 polls`,
        slopeOf(settled.map((sample) => [sample.polls / 1_000, sample[realm].heapMb])),
        HEAP_SLOPE_MAX,
        ' MB',
      ),
      limited(
        `${realm}: heap from beginning to end`,
        growth(of((sample) => sample[realm].heapMb)),
        HEAP_GROWTH_MAX_MB,
        ' MB',
      ),
      ...(['listeners', 'timers', 'connections', 'channels', 'workers'] as const).map((kind) =>
        limited(`${realm}: growth of ${kind}`, steadyGrowth(of((sample) => sample[realm][kind])), 0),
      ),
      ...(['inFlight', 'calls'] as const).map((kind) =>
        limited(`${realm}: ${kind} at rest`, least(lastThird(of((sample) => sample[realm][kind]))), 0),
      ),
      limited(
        `${realm}: performance entries`,
        Math.max(0, ...of((sample) => sample[realm].entries)),
        ENTRIES_MAX,
      ),
      limited(`${realm}: marks and measures`, Math.max(0, ...of((sample) => sample[realm].marks)), 0),
    ]),
    limited('DOM nodes from beginning to end', steadyGrowth(of(({ domNodes }) => domNodes)), DOM_GROWTH_MAX),
    limited(
      'memory of the renderers from beginning to end',
      (100 * growth(of(({ residentMb }) => residentMb))) / Math.max(1, settled[0]?.residentMb ?? 0),
      100 * RESIDENT_GROWTH_MAX,
      ' %',
    ),
    ...countGates(counts, isChurned, limited),
  ]
}

function countGates(
  counts: Counts,
  isChurned: boolean,
  limited: (name: string, value: number, max: number, unit?: string) => Gate,
): readonly Gate[] {
  const { slots, nodes, requests, polls, records, spaces, onTime } = counts
  const difference = requests - slots
  return [
    // Back-off and the second request after a refusal change the count; only requests beyond the slots are an error.
    limited(
      'requests against slots',
      isChurned ? Math.max(0, difference) : Math.abs(difference),
      nodes + (isChurned ? slots * 0.01 : 0),
    ),
    limited('records against polls', Math.abs(records - polls), 0),
    limited('requests at once', counts.maxInFlight, PER_HOST_MAX),
    ...(isChurned
      ? []
      : [limited('requests away from their slot', spaces - onTime, spaces * (1 - ON_TIME_MIN))]),
    limited(`errors: ${counts.errors.slice(0, 3).join('; ')}`, counts.errors.length, 0),
    {
      name: 'what is on screen at the end',
      result: counts.endState === counts.wantedState ? 'passed' : 'failed',
      measured: counts.endState,
      limit: counts.wantedState,
    },
  ]
}

/** 0 for a soak that passed, 1 for one that failed, 3 for one that was too short for a verdict. */
export const exitCodeOf = (gates: readonly Gate[]): 0 | 1 | 3 => {
  if (gates.some(({ result }) => result === 'failed')) return 1
  return gates.some(({ result }) => result === 'too short') ? 3 : 0
}

const growth = (values: readonly number[]): number =>
  median(values.slice(-ENDS)) - median(values.slice(0, ENDS))

const least = (values: readonly number[]): number => (values.length === 0 ? 0 : Math.min(...values))

const lastThird = (values: readonly number[]): readonly number[] =>
  values.slice(-Math.max(1, Math.floor(values.length / 3)))

/** The minimum of the last third minus the maximum of the first, so that temporary increases do not count as growth. */
const steadyGrowth = (values: readonly number[]): number => {
  const last = lastThird(values)
  return Math.max(0, least(last) - Math.max(0, ...values.slice(0, last.length)))
}

const rounded = (value: number): string => String(Math.round(value * 1_000) / 1_000)
