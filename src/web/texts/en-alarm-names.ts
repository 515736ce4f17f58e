import type { AlarmKind } from '#alarms/alarm.ts'

/** What is wrong, in two or three words. */
const NAMES: Readonly<Record<AlarmKind, string>> = {
  'heartbeat-old': 'Heartbeat too old',
  unreachable: 'No answer',
  rejected: 'Node rejected',
  'key-rejected': 'Key rejected',
  'status-left': 'Status not good',
  'participation-low': 'Participation too low',
  'participation-high': 'Participation too high',
  'stake-low': 'Stake too low',
  'answer-slow': 'Slow answers',
  paused: 'Polling stopped',
  network: 'Network of this computer down',
  'clock-skew': 'Clock skew',
  blind: 'No data',
  throttled: 'Rate limited',
  'not-saving': 'History not saved',
  'sound-blocked': 'Sound blocked by the browser',
  'participation-below': 'Participation below limit',
  'participation-above': 'Participation above limit',
  'stake-below': 'Stake below limit',
  'stake-changed': 'Stake changed',
  'threat-rate-below': 'Too few threat responses',
  'threat-rate-above': 'Too many threat responses',
  'threats-stuck': 'Threat counter stuck',
  'answer-time-p95': 'p95 answer time too high',
  'proof-unchanged': 'Proof unchanged',
  'proof-wrong': 'Proof wrong',
}

/** One that is not known here, as of an entry that another version wrote, is shown as it is called. */
export const alarmName = (kind: string): string =>
  new Map<string, string>(Object.entries(NAMES)).get(kind) ?? kind.replaceAll('-', ' ')
