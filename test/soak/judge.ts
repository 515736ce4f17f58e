/** What is open in a page or Worker, after garbage was collected. */
export type Open = {
  readonly heapMb: number
  readonly listeners: number
  readonly timers: number
  /** To databases. */
  readonly connections: number
  readonly channels: number
  readonly workers: number
  /** Requests, and bodies that are being read. */
  readonly inFlight: number
  /** To the other side, not answered. */
  readonly calls: number
  readonly entries: number
  readonly marks: number
}

const REALMS = ['page', 'engine', 'signer'] as const

/** What was seen at one moment of a soak. */
export type Sample = {
  /** Polls of the whole fleet so far. */
  readonly polls: number
  readonly domNodes: number
  /** Of the processes that draw the page and run its Workers. */
  readonly residentMb: number
} & Readonly<Record<(typeof REALMS)[number], Open>>

/** What was counted from the beginning to the end. */
export type Counts = {
  /** Slots of all nodes that came. */
  readonly slots: number
  readonly nodes: number
  /** That the service saw. */
  readonly requests: number
  /** That the engine signed and sent. The service sees more: those without a signature by which a failure is looked into. */
  readonly polls: number
  readonly maxInFlight: number
  /** New in history. */
  readonly records: number
  /** Requests between two that came within a tenth of the interval of their slot. */
  readonly onTime: number
  readonly spaces: number
  readonly errors: readonly string[]
  /** What the page says at the end, and is to say. */
  readonly endState: string
  readonly wantedState: string
}

export type Soaked = {
  readonly samples: readonly Sample[]
  readonly counts: Counts
  /** Faults came and went, so that not every slot has its request. */
  readonly isChurned: boolean
}

export type Gate = {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'too short'
  readonly measured: string
  readonly limit: string
}

/** What the test runner reads. */
export type SoakReport = readonly { readonly name: string; readonly gates: readonly Gate[] }[]

/** Until every panel was opened a few times and a midnight is past: hardly anything is then called, and so compiled, for the first time. */
const WARM_UP = 0.1
const WARM_UP_POLLS = 600
/** Fewer prove nothing: the slope of a leak drowns in what garbage collection leaves. */
const SAMPLES_MIN = 30
const POLLS_MIN = 1_400

const HEAP_SLOPE_MAX = 0.05
const HEAP_GROWTH_MAX_MB = 3
const RESIDENT_GROWTH_MAX = 0.15
const DOM_GROWTH_MAX = 100
const ENTRIES_MAX = 250
const PER_HOST_MAX = 4
const ON_TIME_MIN = 0.99
/** Samples whose median stands for a beginning or an end. */
const ENDS = 5

/**
 * By how much `y` grows with each `x`: the middle of the slopes between any two points. Samples that were taken while the page
 * still held what it had just closed lie a megabyte above the others, and do not tilt it; a leak is in all of them.
 */
export const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number =>
  median(
    points.flatMap(([x, y], place) =>
      points.slice(place + 1).flatMap(([nextX, nextY]) => (nextX === x ? [] : [(nextY - y) / (nextX - x)])),
    ),
  )

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Whether a leak is there is said by a soak that was long enough, and by no other. */
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
    // A failure has its wait, and a refusal its second request: only what is never answered is never too much.
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

/** 0 for a soak that passed, 1 for one that failed, 3 for one that was too short to say. */
export const exitCodeOf = (gates: readonly Gate[]): 0 | 1 | 3 => {
  if (gates.some(({ result }) => result === 'failed')) return 1
  return gates.some(({ result }) => result === 'too short') ? 3 : 0
}

const growth = (values: readonly number[]): number =>
  median(values.slice(-ENDS)) - median(values.slice(0, ENDS))

const least = (values: readonly number[]): number => (values.length === 0 ? 0 : Math.min(...values))

const lastThird = (values: readonly number[]): readonly number[] =>
  values.slice(-Math.max(1, Math.floor(values.length / 3)))

/** By how much the least of the last third is above the most of the first: what comes and goes is no growth. */
const steadyGrowth = (values: readonly number[]): number => {
  const last = lastThird(values)
  return Math.max(0, least(last) - Math.max(0, ...values.slice(0, last.length)))
}

const rounded = (value: number): string => String(Math.round(value * 1_000) / 1_000)
