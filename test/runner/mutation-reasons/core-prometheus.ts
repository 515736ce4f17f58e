import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_PROMETHEUS: FolderReasons = {
  'answer.ts': [
    {
      kind: 'equal',
      reason: 'a text has no time, so it is in no step',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: only a number is finite',
      changes: [["typeof at === 'number'", 'true']],
    },
  ],
  'collected-now.ts': [
    {
      kind: 'equal',
      reason: 'of the metrics only gauges are marked as exact, since counters always are',
      changes: [["kind === 'gauge'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'nothing is written of nothing either way',
      changes: [['word === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: nothing is no amount',
      changes: [['exact !== undefined', 'true']],
    },
  ],
  'join-series.ts': [
    {
      kind: 'equal',
      reason: 'the same value is the lowest and the highest either way',
      changes: [
        ['low >= min', 'low > min'],
        ['high <= max', 'high < max'],
      ],
    },
    {
      kind: 'equal',
      reason: 'there is nothing beyond the last step or bar',
      changes: [
        ['step < longTerm.count', 'step <= longTerm.count'],
        ['bar < barCount', 'bar <= barCount'],
      ],
    },
    {
      kind: 'equal',
      reason: 'of a run of equal values one is left, whichever',
      changes: [['place - 1', 'place + 1']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: no distance to nothing is too long',
      changes: [
        ['seenMs !== undefined && keptMs !== undefined', 'true'],
        ['seenMs !== undefined && keptMs !== undefined', 'seenMs !== undefined || keptMs !== undefined'],
        ['seenMs !== undefined', 'true'],
        ['keptMs !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what stands in for no bars or restarts is not after the seam',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'nothing, or no time, adds nothing',
      changes: [
        ['up !== null', 'true'],
        ['partMs > 0', 'partMs >= 0'],
      ],
    },
  ],
  'network.ts': [
    {
      kind: 'equal',
      reason: 'the switch ends there either way',
      changes: [
        ["case 'fingerprint': return undefined", "case 'fingerprint':"],
        ["'fingerprint'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'how many nodes is asked only where there are points',
      changes: [['[0, 0]', '[]']],
    },
  ],
  'read-long-term.ts': [
    {
      kind: 'equal',
      reason: 'there is nothing before the first bar either way',
      changes: [['place === 0', 'false']],
    },
    {
      kind: 'equal',
      reason: 'what is missing counts as 0 where it is read',
      changes: [['{ length: count }', '{}']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: nothing is no kind of failure, and no more than 0',
      changes: [
        ['kind === undefined', 'false'],
        ['seen === null', 'false'],
      ],
    },
  ],
}
