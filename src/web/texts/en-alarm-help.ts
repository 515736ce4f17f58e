import type { AlarmKind, FixedKind } from '#alarms/alarm.ts'
import { metricOf } from '#alarms/metric-values.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { BuiltInMetric } from '#metrics/metrics.ts'

export type AlarmHelp = { readonly meaning: string; readonly steps: readonly string[] }

const SUSPECT_SHARED = 'If several nodes at one site show this, check what they share.'

/** First steps by kind. An operator's own text for the rule comes before them. */
const HELP: Readonly<Record<FixedKind, AlarmHelp>> = {
  unreachable: {
    meaning: 'Polls get no usable answer. The state of the nodes is unknown.',
    steps: [
      'See the dashboard’s message bar for the likely cause.',
      'Open the service in a browser tab.',
      'If other programs on the computer that polls can’t reach it either, check the network first.',
    ],
  },
  rejected: {
    meaning: 'The service does not know this node or rejects its id. Polling again will not change that.',
    steps: [
      'Compare the id with the one in the node’s own configuration.',
      'If every node is rejected, the base URL may belong to another network.',
    ],
  },
  'key-rejected': {
    meaning:
      'The service rejects the key or token. The dashboard polls more slowly to avoid a lockout; the state of the service’s nodes is unknown.',
    steps: [
      'Check that the right key or token is used for this service.',
      'Check the clock of the computer that polls: signatures with a wrong time are rejected too.',
      'Under Settings, Signing profile, use “Find a working profile”.',
    ],
  },
  paused: {
    meaning:
      'Requests can’t be signed or sent: for example, the key is locked, a token is missing, or the browser that polls is signed out.',
    steps: ['See the dashboard’s message bar or the collector’s log for the cause.'],
  },
  network: {
    meaning:
      'No service can be reached over the network. The likely cause is the network of the computer that polls, or of the dashboard server if it forwards the requests. Node alarms are inhibited until a service answers.',
    steps: ['Check whether that computer can reach anything else.', 'Polling resumes automatically.'],
  },
  'clock-skew': {
    meaning:
      'The clocks of the computer that polls and of the service differ so much that the service may reject signed requests, and ages may be wrong.',
    steps: [
      'Synchronize the clock of the computer that polls (NTP).',
      'If it is right, tell the service operator.',
    ],
  },
  'round-too-long': {
    meaning:
      'A full round of polls takes longer than the service’s poll interval, so each node is polled less often than configured. The nodes themselves may be fine.',
    steps: [
      'Set the poll interval above the time that a round takes.',
      'If a pace is set for the service, raise it. Otherwise, watch fewer of its nodes, or some of them through another address.',
    ],
  },
  blind: {
    meaning: 'There has been no data for so long that the values shown can’t be trusted.',
    steps: [
      'If the service or its nodes have another alarm, follow its steps.',
      'Check that the dashboard or collector is polling.',
      'If polling does not resume, reload the page or restart the collector.',
    ],
  },
  throttled: {
    meaning:
      'Polls run late, so values may be old. The services may be fine: the computer that polls is busy, polls too many nodes for the interval, or waits for nodes that do not answer.',
    steps: [
      'Check the load of the computer that polls.',
      'Set a longer poll interval, or watch fewer nodes.',
    ],
  },
  gap: {
    meaning:
      'The computer that polls was asleep, the browser suspended the tab, or the clock was changed. Events while polling was interrupted are unknown.',
    steps: ['Turn off sleep on the computer that polls.', 'Check that its clock is synchronized.'],
  },
  'page-blocked': {
    meaning:
      'A visible page does not respond, so its values are old. Polling and alarms continue without it.',
    steps: ['Check the load of this computer.', 'If the page stays frozen, close it and open it again.'],
  },
  'engine-lost': {
    meaning:
      'The engine, which does the polling, stopped or hung. Another one took over; a few seconds of answers are missing.',
    steps: [
      'If it happened only once, do nothing.',
      'If it happens again, check the memory and load of this computer.',
    ],
  },
  'memory-high': {
    meaning: 'This page uses so much memory that the browser may close it.',
    steps: [
      'Reload this page. A key in the vault has to be unlocked again.',
      'A screen with a device key reloads automatically when idle.',
    ],
  },
  'old-version': {
    meaning:
      'The dashboard server and this browser have different versions, usually because the server was updated.',
    steps: [
      'Reload all tabs. A key in the vault has to be unlocked again.',
      'A screen with a device key reloads automatically at night.',
    ],
  },
  'page-errors': {
    meaning: 'This dashboard has a defect that causes uncaught errors. Values may be missing.',
    steps: ['Reload this page.', 'If the alarm returns, report the errors that the journal shows.'],
  },
  'not-saving': {
    meaning: 'Data is shown but not saved. It is lost when the last tab is closed.',
    steps: [
      'Free up disk space, or lower the maximum size under Storage.',
      'If site data is blocked for this page, allow it. If this is a private window, use a normal one.',
    ],
  },
  'sound-blocked': {
    meaning: 'The browser blocks sound until someone clicks on this page. The next alarm will not be heard.',
    steps: [
      'Click anywhere on this page.',
      'For an unattended screen, start the browser with sound allowed.',
    ],
  },
  'rule-failed': {
    meaning:
      'A defect keeps this dashboard from evaluating the rule, so the rule raises no alarms. All other rules keep working.',
    steps: [
      'If it is your own rule, change or disable it.',
      'Reload this page. If the alarm returns, report the error shown as the alarm’s value.',
      'Until then, check the rule’s condition yourself.',
    ],
  },
}

/** Help by metric, for all its tests. Other metrics use their own help text. */
const OF_METRIC: Readonly<Partial<Record<BuiltInMetric['id'], AlarmHelp>>> = {
  status: {
    meaning:
      'The service reports a status that counts as warning or bad, that has no meaning set, or that can’t be read. Under Units and limits, set what each status means.',
    steps: ['Check in the journal when it changed, and from what.', 'Check the node itself.'],
  },
  stake: {
    meaning: 'The reported stake changed, or is below the limit.',
    steps: [
      'Check in the journal when it changed, and by how much.',
      'If nobody on your side moved it, ask the service operator why it changed. If nobody can explain it, treat the account that holds the stake as compromised.',
    ],
  },
  participation: {
    meaning: 'The participation that the service reports is outside the limit.',
    steps: [
      'Check in the chart when it began, and what else changed then.',
      'Check the node’s log for missed rounds.',
      SUSPECT_SHARED,
    ],
  },
  threatResponses: {
    meaning: 'The counter of executed threat responses does not change as the rule expects.',
    steps: [
      'Compare with other nodes: if all show the same, the cause is in the network, not in this node.',
      'Check whether the counter was reset: the chart marks it.',
    ],
  },
  heartbeat: {
    meaning:
      'The service answers and may still report the node as ACTIVE, but has received no heartbeat from it for too long, or reports one that can’t be read. The real state of the node is unknown.',
    steps: [
      'Check that the node’s process is running and that its clock is right.',
      'Check that it can reach the service.',
      SUSPECT_SHARED,
    ],
  },
  proof: {
    meaning: 'The cryptographic proof has not changed for longer than the rule allows.',
    steps: [
      'Check whether heartbeats continue. If so, the node reports but proves nothing new.',
      SUSPECT_SHARED,
    ],
  },
  answerTime: {
    meaning: 'Answers take longer than the limit. An answer slower than the timeout counts as a failure.',
    steps: [
      'If all nodes of the service are slow, the cause is the service or the network.',
      'Check the load of the computer that polls, and its network.',
    ],
  },
}

const PROOF_WRONG: AlarmHelp = {
  meaning: 'The proof does not match the record under the service’s proof profile.',
  steps: [
    'Check the reason on the node’s page.',
    'Check the proof profile in the settings.',
    'If the profile is right, do not rely on the record.',
  ],
}

const DIFFERS: AlarmHelp = {
  meaning:
    'The node is polled through several services, and their answers have contradicted each other for longer than delays can explain.',
  steps: [
    'Compare the answers on the node’s page, and check when they began to differ.',
    'Find the service that lags or caches: its heartbeats are older.',
    'Rely on none of them until they agree.',
  ],
}

const FIXED = new Map<string, AlarmHelp>(Object.entries(HELP))
const METRICS = new Map<string, AlarmHelp>(Object.entries(OF_METRIC))

export function alarmHelp(kind: AlarmKind, metrics: MetricRegistry): AlarmHelp {
  if (kind === 'proof-wrong') return PROOF_WRONG
  const of = metricOf(kind, metrics)
  const metric = of?.metric
  if (of?.test === 'differs') return DIFFERS
  return (
    FIXED.get(kind) ??
    METRICS.get(metric?.id ?? '') ?? { meaning: metric?.help ?? '', steps: [SUSPECT_SHARED] }
  )
}
