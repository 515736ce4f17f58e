import { describe, expect, it } from 'vitest'
import { type EventFacts } from '#history/event-log.ts'
import { read, sources } from '#test/support/source-tree.ts'
import { METRICS } from '#metrics/metrics.ts'
import { eventWords } from '#texts/en-events.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 14)
const told = (what: string, facts?: EventFacts) => {
  const entry = { wallMs: NOW_MS, area: 'service', what, ...(facts && { facts }) } as const
  return eventWords(entry, { zone: 'utc', nowMs: NOW_MS, metrics: METRICS }).title.replaceAll('\u00a0', ' ')
}

describe('journal entries', () => {
  it.each([
    ['status-changed', { from: 'ACTIVE', to: 'SUSPENDED' }, 'Status ACTIVE → SUSPENDED'],
    ['stake-changed', { from: '1200000', to: '1250000.5' }, 'Stake 1,200,000 → 1,250,000.5'],
    ['stake-changed', { from: 'x', to: '7' }, 'Stake x → 7'],
    [
      'counter-restarted',
      { metric: 'threatResponses', from: '1198204', to: '0' },
      'Threat responses reset 1,198,204 → 0, counted as a restart',
    ],
    ['default-node-changed', { from: '0x7f3a', to: '0x0002' }, 'Default node is now 0x0002, was 0x7f3a'],
    ['unknown-field', { name: 'region' }, 'New field in the record: region'],
    ['proof-wrong', { reason: 'signature' }, 'Proof wrong: signature'],
    ['proof-wrong', {}, 'Proof wrong'],
    ['failure-began', { kind: 'server-error', status: 503 }, 'No usable answer: server error (HTTP 503)'],
    ['failure-began', { kind: 'new-kind' }, 'No usable answer: new-kind'],
    ['failure-changed', { kind: 'timeout', from: 'unreachable' }, 'Failure changed: unreachable → timeout'],
    [
      'failure-ended',
      { kind: 'timeout', sinceMs: NOW_MS - 3_600_000, misses: 1_200 },
      'Answering again; had been failing since 13:00:00, 1,200 failed polls',
    ],
    [
      'failure-ended',
      { sinceMs: NOW_MS, misses: 1 },
      'Answering again; had been failing since 14:00:00, 1 failed poll',
    ],
    ['failure-ended', { sinceMs: NOW_MS }, 'Answering again; had been failing since 14:00:00'],
    ['internal-error', { message: 'x is undefined' }, 'Defect in this dashboard: x is undefined'],
    ['asking-slowed', { kind: 'rate-limited', nodes: 3 }, 'Polling slowed: rate limited, 3 nodes'],
    [
      'unit-detected',
      { metric: 'participation', from: 'ratio', to: 'percent', readings: 2 },
      'Participation is a percentage, not a ratio (0 to 1): values stored earlier are wrong by a factor of 100',
    ],
    ['asking-resumed', { kind: 'rate-limited', nodes: 1 }, 'Polling resumed, 1 node'],
    [
      'gap',
      { reason: 'closed', fromMs: 0, toMs: 7_200_000 },
      'Not watched for 2 h 00 m: no tab of this dashboard was open, or the browser suspended the tab',
    ],
    [
      'gap',
      { reason: 'asleep-or-set', fromMs: 0, toMs: 7_200_000 },
      'Not watched for 2 h 00 m: the computer was asleep, or its clock was set ahead',
    ],
    [
      'gap-explained',
      { reason: 'set-ahead', fromMs: 0, toMs: 7_200_000 },
      'This computer’s clock was set ahead by 2 h 00 m; the service’s time shows that nothing was missed',
    ],
    [
      'gap-explained',
      { reason: 'asleep', fromMs: 0, toMs: 7_200_000 },
      'The computer was asleep for 2 h 00 m; the service’s time shows that the computer’s clock was not changed',
    ],
    ['sound-muted', { reason: 'by-person', untilMs: NOW_MS + 900_000 }, 'Sound muted until 14:15:00'],
    ['sound-unmuted', { reason: 'by-person' }, 'Sound unmuted'],
    ['sound-unmuted', { reason: 'mute-ended' }, 'Sound on again: the mute ended'],
    ['gap', { reason: 'other', fromMs: 0, toMs: 5_000 }, 'Not watched for 5 s'],
    ['clock-set-back', { fromMs: 9_000, toMs: 4_000 }, 'This computer’s clock was set back by 5 s'],
    [
      'history-removed',
      { reason: 'age', toMs: NOW_MS },
      'Old history deleted, up to 14:00:00: older than the retention period',
    ],
    ['note', { note: 'Switch upgrade' }, '“Switch upgrade”'],
    ['note', { note: 'Switch upgrade', by: 'alice' }, '“Switch upgrade” by alice'],
    [
      'settings-saved',
      { changes: 'Added 2 nodes; Changed display: theme' },
      'Added 2 nodes; Changed display: theme',
    ],
    ['settings-saved', { members: 'services[0].key' }, 'Settings changed'],
    ['key-added', { key: 'c7c7…ba8e' }, 'Key c7c7…ba8e added'],
    [
      'alarm-cleared',
      { kind: 'heartbeat-old', value: 3_000, valueUnit: 'ms', limit: 180_000, limitUnit: 'ms' },
      'Heartbeat too old: cleared, now 3 s',
    ],
    [
      'alarm-raised',
      {
        kind: 'heartbeat-old',
        severity: 'critical',
        value: 252_000,
        valueUnit: 'ms',
        limit: 180_000,
        limitUnit: 'ms',
      },
      'Heartbeat too old, 4 m 12 s, limit 3 m 00 s',
    ],
    [
      'alarm-raised',
      { kind: 'participation-below', value: 0.9652, valueUnit: 'ratio' },
      'Participation below limit, 96.52 %',
    ],
    ['alarm-raised', { kind: 'kind-of-later' }, 'kind of later'],
    [
      'alarm-raised',
      { kind: 'unreachable', inhibitedBy: 'unreachable service x' },
      'No usable answer: inhibited by another alarm',
    ],
    [
      'alarm-acknowledged',
      { kind: 'unreachable', note: 'on it', by: 'Ada' },
      'Acknowledged by Ada: No usable answer, “on it”',
    ],
    ['alarm-acknowledged', { kind: 'unreachable' }, 'Acknowledged: No usable answer'],
    ['alarm-unacknowledged', { kind: 'unreachable', by: 'Ada' }, 'Unacknowledged by Ada: No usable answer'],
    ['alarm-shelved', { kind: 'unreachable', note: 'patching' }, 'Shelved: No usable answer, “patching”'],
    ['alarm-unshelved', { kind: 'unreachable', reason: 'shelf-ended' }, 'No usable answer: shelving expired'],
    [
      'alarm-closed',
      { kind: 'unreachable', reason: 'node-removed' },
      'No usable answer: node no longer watched',
    ],
    ['alarm-closed', { kind: 'unreachable', reason: 'rule-off' }, 'No usable answer: rule disabled'],
    [
      'alarm-lowered',
      { kind: 'unreachable', severity: 'info', reason: 'rule-changed' },
      'No usable answer: severity lowered to info',
    ],
    ['something-of-later', { why: 'new', count: 3 }, 'something of later, why new, count 3'],
  ] satisfies readonly (readonly [string, EventFacts, string])[])('describe %s %j', (what, facts, title) => {
    expect(told(what, facts)).toBe(title)
  })

  it('have a description for every type that the dashboard records', () => {
    const noted = sources.flatMap((path) =>
      Array.from(read(`src/${path}`).matchAll(/area: '\w+',\s*what: '([a-z-]+)'/g), ([, what = '']) => what),
    )
    expect(noted).toContain('backup-restored')
    expect(noted.filter((what) => told(what, {}) === what.replaceAll('-', ' '))).toEqual([])
  })

  it('show their kind, and the severity or end of an alarm', () => {
    const at = (what: string, facts: EventFacts) => {
      const { kind, level } = eventWords(
        { wallMs: 0, area: 'alarm', what, facts },
        { zone: 'utc', nowMs: 0, metrics: METRICS },
      )
      return [kind, level]
    }
    expect(at('alarm-raised', { severity: 'critical' })).toEqual(['Alarm raised', 'critical'])
    expect(at('alarm-worse', { severity: 'warning' })).toEqual(['Alarm worsened', 'warning'])
    expect(at('alarm-raised', { severity: 'odd' })).toEqual(['Alarm raised', 'info'])
    expect(at('alarm-raised', { severity: 'critical', inhibitedBy: 'x' })).toEqual(['Alarm', undefined])
    expect(at('alarm-cleared', {})).toEqual(['Alarm cleared', 'done'])
    expect(at('alarm-shelved', {})).toEqual(['Operator', 'paused'])
  })
})
