import type { AlarmKind } from '#alarms/alarm.ts'

/** What is wrong, in two or three words. */
const NAMES: Readonly<Record<AlarmKind, string>> = {
  'heartbeat-old': 'Heartbeat too old',
  unreachable: 'No answer',
  rejected: 'Node rejected',
  'key-rejected': 'Key rejected',
  'status-left': 'Status left its good word',
  'participation-low': 'Participation too low',
  'participation-high': 'Participation too high',
  'stake-low': 'Stake too low',
  'answer-slow': 'Answers slowly',
  paused: 'Nothing can be asked',
  network: 'This computer’s network is down',
  'clock-skew': 'Clocks are apart',
  blind: 'Nothing is known any more',
  throttled: 'The service slows us down',
  'not-saving': 'History is not being kept',
  'sound-blocked': 'The browser blocks sound',
  'participation-below': 'Participation below your limit',
  'participation-above': 'Participation above your limit',
  'stake-below': 'Stake below your limit',
  'stake-changed': 'Stake changed',
  'threat-rate-below': 'Too few threat responses',
  'threat-rate-above': 'Too many threat responses',
  'threats-stuck': 'Threat counter stands still',
  'answer-time-p95': 'Most answers are slow',
  'proof-unchanged': 'Proof does not change',
  'proof-wrong': 'Proof is wrong',
}

/** One that is not known here, as of an entry that another version wrote, is shown as it is called. */
export const alarmName = (kind: string): string =>
  new Map<string, string>(Object.entries(NAMES)).get(kind) ?? kind.replaceAll('-', ' ')
