import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

/**
 * Every default of the product that is a number, in one place. The code reads this table,
 * the tables in the documentation are checked against it, and settings may override what
 * they name. Multiples are of the node's poll interval or of its expected heartbeat period.
 */
export const DEFAULTS = {
  /** How often each node is asked. Unspecified by the service: fast enough for a person, 4 requests a minute for the service. */
  pollIntervalMs: 15_000,
  pollIntervalMinMs: 1_000,
  pollIntervalMaxMs: DAY_MS,
  /** Headers and body together, counted from dispatch. */
  timeoutMs: 10_000,
  timeoutMinMs: 500,
  timeoutMaxMs: 120_000,
  /** Requests a second to one service, where its settings name a pace. */
  paceMin: 0.01,
  paceMax: 1_000,
  /** HTTP/1.1 browsers open 6 connections to a host; 6 hung requests would freeze every other one. */
  inFlightPerHostMax: 4,
  /** A connection over HTTP/2 or HTTP/3 carries all of a host’s requests; servers allow 100 at once or more. */
  inFlightMultiplexedMax: 32,
  /** Of those, for nodes whose last poll timed out, so that hung nodes can't starve healthy ones. */
  suspectsInFlightMax: 2,
  /** A reading older than this many intervals is late, */
  lateAfterIntervals: 1.5,
  /** and older than this many it is stale: no longer painted as live. */
  staleAfterIntervals: 2.5,
  /** After a failure that may pass, the wait doubles from one interval up to this cap (never below one interval). */
  backOffMaxMs: MINUTE_MS,
  /** Refusals of the key in a row before asking slows down, and how rare it gets, so that nobody is locked out. */
  refusalsBeforeSlow: 3,
  slowAfterRefusalMs: 300_000,
  /** Nodes in a row that are limited (429) before the whole service is asked less. */
  limitationsBeforeSlow: 3,
  /** In history a failed poll stands for this long at most: no wait is longer, unless a service names one. */
  slowestWaitMs: 600_000,
  /** A Retry-After beyond this is not believed. */
  retryAfterMaxMs: HOUR_MS,
  /** Decoded bytes of a body; a record has about 400. */
  bodyMaxBytes: 65_536,
  /** All headers of one answer; Node's own limit. */
  headersMaxBytes: 16_384,
  /** The dashboard's server is waited for longer than it waits for a service, so that its answer comes first. */
  proxyGraceMs: 1_000,
  /** Characters of a service's own words that are stored and shown. */
  statusCharsMax: 64,
  answerCharsMax: 120,
  proofCharsMax: 1_024,
  unknownFieldsMax: 16,
  /** Unspecified by the service: the expected period until its heartbeats show another. */
  heartbeatPeriodMs: 15_000,
  heartbeatWarningPeriods: 4,
  heartbeatCriticalPeriods: 12,
  /** A heartbeat this far ahead of the service's time is rounding; beyond it the clocks disagree and the age is unknown. */
  heartbeatFutureToleranceMs: 2_000,
  /** last_heartbeat above this can't be seconds (it would be the year 5138), so it is read as milliseconds. */
  heartbeatMillisecondsFrom: 100_000_000_000,
  /** Updates reach the page at most this often, */
  publishEveryMs: 1_000,
  /** and sooner for this long after a person acted: */
  promptForMs: 3_000,
  publishPromptlyMs: 250,
  /** A wake-up this many intervals late means that nobody watched: a gap, never a burst. */
  gapAfterIntervals: 2,
  /** A visible page reports every 3 s; one that is silent for longer does not react. */
  pageBlockedMs: 10_000,
  /** Samples in memory for the whole fleet, shared between the nodes, and the least and most for one node. */
  samplesInMemoryMax: 2_000_000,
  samplesPerNodeMin: 360,
  samplesPerNodeMax: 20_000,
  /** Days for which this browser keeps every sample, and for which it keeps their rollups; */
  historySamplesDays: 30,
  historyRollupsDays: 730,
  /** and the most that both may take, which comes first. */
  historyBudgetBytes: 1_000_000_000,
  /** How often Prometheus scrapes, and how many days back a query API is asked, where its entry does not say. */
  scrapeMs: 15_000,
  queryApiDays: 400,
  /** The most a service or a configuration may name. */
  servicesMax: 16,
  nodesMax: 20_000,
  /** The longest configuration that a page reads; 20,000 nodes with names and tags have about half of it. */
  configCharsMax: 8 * 1_048_576,
  rulesMax: 2_000,
  viewsMax: 100,
  notesCharsMax: 2_000,
  /** Of one line of a list. An id, a name, sixteen tags and an address are below 1,200; a spreadsheet may have more columns. */
  nodeLineCharsMax: 16_384,
  /** One service may be so far behind another one about the same node, beside the interval. */
  crossCheckLagMs: 10_000,
  alarmClearAfter: 2,
  /** A service whose nodes are silent for so many intervals, and at least so long, has an alarm of its own. */
  blindAfterIntervals: 3,
  blindAfterMinMs: 120_000,
  /** Alarms that are raised together are notified together: the wait for more, in intervals and at most. */
  alarmGroupWaitPolls: 2,
  alarmGroupWaitMaxMs: 30_000,
  /** The next notification of the same group comes no sooner. */
  alarmGroupIntervalPolls: 20,
  alarmGroupIntervalMaxMs: 300_000,
  /** A critical, unacknowledged alarm is notified again. */
  alarmRepeatIntervalMs: HOUR_MS,
  /** More alarms than this of one rule at one service are one row. */
  alarmsToldApartMax: 3,
  /** Single alarms within ten minutes from which on it is a flood. */
  alarmFloodFrom: 10,
  alarmRulesMax: 200,
  /** The longest time for which an alarm may be shelved. */
  shelveMaxMs: DAY_MS,
  /** A pause in watching beyond this restarts an alarm's timers. */
  alarmTimersOutageMs: HOUR_MS,
  /** Changes of heartbeats after which a period is assumed, and after which it is settled. */
  periodStepsMin: 8,
  periodStepsMax: 32,
} as const
