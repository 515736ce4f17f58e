import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

/**
 * Every numeric default of the product. The tables in the documentation are checked against it, and settings may override what
 * they name. Multiples refer to the node's poll interval or its expected heartbeat period.
 */
export const DEFAULTS = {
  /**
   * Poll interval of each node. The service does not specify one; this is fast enough for a person and costs the service 4
   * requests a minute.
   */
  pollIntervalMs: 15_000,
  pollIntervalMinMs: 1_000,
  pollIntervalMaxMs: DAY_MS,
  /** Headers and body together, counted from dispatch. */
  timeoutMs: 10_000,
  timeoutMinMs: 500,
  timeoutMaxMs: 120_000,
  /** Range of requests per second to one service, if its settings set a pace. */
  paceMin: 0.01,
  paceMax: 1_000,
  /** HTTP/1.1 browsers open 6 connections per host; 6 hung requests would block every other one. */
  inFlightPerHostMax: 4,
  /** One HTTP/2 or HTTP/3 connection carries all of a host's requests; servers allow 100 or more at once. */
  inFlightMultiplexedMax: 32,
  /**
   * The maximum of a host's requests in flight for nodes whose last poll timed out, so that hung nodes can't starve healthy
   * ones.
   */
  suspectsInFlightMax: 2,
  /** An older reading, in intervals, is late. */
  lateAfterIntervals: 1.5,
  /** An older reading, in intervals, is stale: no longer shown as live. */
  staleAfterIntervals: 2.5,
  /** After a failure that may pass, the wait doubles from one interval up to this cap (never below one interval). */
  backOffMaxMs: MINUTE_MS,
  /**
   * Refusals in a row before polling slows down, and the longest wait while a service refuses the key for all its nodes, so that
   * the key is not locked out.
   */
  refusalsBeforeSlow: 3,
  slowAfterRefusalMs: 300_000,
  /** From this share of nodes on, a failure is the service's and not the nodes'. */
  wholeServiceShare: 0.8,
  /** Refusals further apart than this count as separate problems, and not as replicas that differ. */
  alternatingIntervals: 20,
  /** 429 answers in a row before the whole service is polled less. */
  limitationsBeforeSlow: 3,
  /** Longest time for which a failed poll counts in history: no wait is longer, unless a service names one. */
  slowestWaitMs: 600_000,
  /** A longer Retry-After is cut to this. */
  retryAfterMaxMs: HOUR_MS,
  /** Decoded bytes of a body; a record has about 400. */
  bodyMaxBytes: 65_536,
  /** All headers of one answer; Node's own limit. */
  headersMaxBytes: 16_384,
  /** The page waits this much longer than the dashboard server waits for a service, so that the server's answer comes first. */
  proxyGraceMs: 1_000,
  /** Maximum characters of a service's own words that are stored and shown. */
  statusCharsMax: 64,
  answerCharsMax: 120,
  proofCharsMax: 1_024,
  unknownFieldsMax: 16,
  /** The service specifies no period; this one applies until its heartbeats show another. */
  heartbeatPeriodMs: 15_000,
  /** The service specifies no limit; below this one, a node answers but takes little part. */
  participationBelow: 0.9,
  heartbeatWarningPeriods: 4,
  heartbeatCriticalPeriods: 12,
  /** A heartbeat this far ahead of the service's time is rounding; beyond it the clocks disagree and the age is unknown. */
  heartbeatFutureToleranceMs: 2_000,
  /** A larger last_heartbeat cannot be in seconds (it would be the year 5138), so it is read as milliseconds. */
  heartbeatMillisecondsFrom: 100_000_000_000,
  /** Updates reach the page at most this often. */
  publishEveryMs: 1_000,
  /** For this long after a user action, updates come every `publishPromptlyMs`. */
  promptForMs: 3_000,
  publishPromptlyMs: 250,
  /** A wake-up this many intervals late counts as a gap; missed polls are not made up for in a burst. */
  gapAfterIntervals: 2,
  /** A visible page reports every 3 s; one that is silent for longer does not respond. */
  pageBlockedMs: 10_000,
  /** Samples in memory for the whole fleet, shared between the nodes, and the minimum and maximum for one node. */
  samplesInMemoryMax: 2_000_000,
  samplesPerNodeMin: 360,
  samplesPerNodeMax: 20_000,
  /** Days for which this browser stores samples and rollups. */
  historySamplesDays: 30,
  historyRollupsDays: 730,
  /** Maximum size of both; it takes precedence over the days. */
  historyBudgetBytes: 1_000_000_000,
  /** Prometheus' scrape interval, and the retention of a query API, if its entry does not set them. */
  scrapeMs: 15_000,
  queryApiDays: 400,
  /** Maximum number in a configuration. */
  servicesMax: 16,
  nodesMax: 20_000,
  /** The longest configuration that a page reads; 20,000 nodes with names and tags take about half of it. */
  configCharsMax: 8 * 1_048_576,
  rulesMax: 2_000,
  viewsMax: 100,
  notesCharsMax: 2_000,
  /**
   * Characters of one line of a node list. An id, a name, sixteen tags and an address take less than 1,200; a spreadsheet may
   * have more columns.
   */
  nodeLineCharsMax: 16_384,
  /** How far one service may lag behind another for the same node, in addition to the interval. */
  crossCheckLagMs: 10_000,
  alarmClearAfter: 2,
  /** A service whose nodes are silent for this many intervals, and at least this long, has an alarm of its own. */
  blindAfterIntervals: 3,
  blindAfterMinMs: 120_000,
  /** Alarms that are raised together are notified together: the wait for more, in intervals and at most. */
  alarmGroupWaitPolls: 2,
  alarmGroupWaitMaxMs: 30_000,
  /** Minimum time until the next notification of the same group. */
  alarmGroupIntervalPolls: 20,
  alarmGroupIntervalMaxMs: 300_000,
  /** After this time a critical, unacknowledged alarm is notified again. */
  alarmRepeatIntervalMs: HOUR_MS,
  /** More alarms of one rule at one service share a row. */
  alarmsUngroupedMax: 3,
  /** More alarms than this within ten minutes are a flood. */
  alarmFloodFrom: 10,
  alarmRulesMax: 200,
  shelveMaxMs: DAY_MS,
  /** A longer watching gap restarts an alarm's timers. */
  alarmTimersOutageMs: HOUR_MS,
  /** Heartbeat changes after which a period is assumed, and after which it is settled. */
  periodStepsMin: 8,
  periodStepsMax: 32,
} as const
