import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_PIPELINE: FolderReasons = {
  'alarm-service.ts': [
    {
      kind: 'unseen',
      reason:
        'the test of maintenance by local time notices it; it sets a time zone, which a thread of the check can not',
      changes: [
        ['-new Date(wallMs).getTimezoneOffset() * 60_000', '-new Date(wallMs).getTimezoneOffset() / 60_000'],
        ['-new Date(wallMs).getTimezoneOffset()', '+new Date(wallMs).getTimezoneOffset()'],
        ['(wallMs: number): number => -new Date(wallMs).getTimezoneOffset() * 60_000', '() => undefined'],
      ],
    },
    { kind: 'equal', reason: 'what is missing is not true', changes: [['[false, false]', '[]']] },
    {
      kind: 'equal',
      reason: 'nothing is evaluated before there are settings',
      changes: [['[]', '["Stryker was here"]']],
    },
    { kind: 'unseen', reason: 'undefined is as absent', changes: [['untilMs !== undefined', 'true']] },
    {
      kind: 'equal',
      reason: 'each write says anew whether something is urgent, before it ends',
      changes: [['false', 'true']],
    },
    {
      kind: 'equal',
      reason: 'so many and so many parts of one are the same where it is 1',
      changes: [['pointsIn(stored) / POINTS_PER_MS', 'pointsIn(stored) * POINTS_PER_MS']],
    },
  ],
  'cross-checks.ts': [
    {
      kind: 'equal',
      reason: 'no node has such a key, so that there is nothing of it to compare or find',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason: 'a map without pairs is kept, in which nothing is found',
      changes: [['seconds.size === 0', 'false']],
    },
    {
      kind: 'equal',
      reason: 'only spares work: of the same nodes in the same order the groups are the same',
      changes: [['update.order !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'a node says of itself what it says, and less of a counter only after a restart',
      changes: [['at === place', 'false']],
    },
    {
      kind: 'equal',
      reason: 'the node itself was left out before',
      changes: [['at < place', 'at <= place']],
    },
  ],
  'engine.ts': [
    {
      kind: 'unseen',
      reason: 'what can’t be sent is read by nobody',
      changes: [
        ["{ title: '', text: '', link: '' }", '{}'],
        ["''", '"Stryker was here!"'],
      ],
    },
  ],
  'evaluate-batch.ts': [
    {
      kind: 'equal',
      reason: 'only spares work: by the same settings the same state means the same, which is left out',
      changes: [['before?.service !== now?.service || before?.rules !== now?.rules', 'true']],
    },
  ],
  'network-recorder.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what is not put is deleted',
      changes: [["'delete'", '""']],
    },
    { kind: 'equal', reason: 'every key begins behind none', changes: [['[0]', '[]']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: in the range that is read a key is a number',
      changes: [["typeof atMs !== 'number'", 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is missing is no text and no number',
      changes: [
        ["!('id' in one) || !('value' in one) || !('nodes' in one)", 'false'],
        [
          "!('id' in one) || !('value' in one) || !('nodes' in one)",
          "(!('id' in one) || !('value' in one)) && !('nodes' in one)",
        ],
        ["!('id' in one) || !('value' in one)", 'false'],
        ["!('id' in one) || !('value' in one)", "!('id' in one) && !('value' in one)"],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not finite, and no safe integer',
      changes: [
        ["typeof number === 'number'", 'true'],
        ["typeof value === 'number'", 'true'],
      ],
    },
    { kind: 'equal', reason: 'a text is no point', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'equal',
      reason: 'before the first point there is no time that is later',
      changes: [
        ['count > 0', 'true'],
        ['count > 0', 'count >= 0'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: undefined is not finite',
      changes: [['value === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'only spares memory: nobody asks for the rate of what does not count',
      changes: [
        ["metrics.filter(({ kind }) => kind === 'counter')", 'metrics'],
        ["kind === 'counter'", 'true'],
      ],
    },
  ],
  'pipeline.ts': [
    { kind: 'equal', reason: 'a text is no node', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'equal',
      reason: 'only spares work: the same alarms say the same of each node',
      changes: [['before === now', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: without another order no node is new',
      changes: [
        ['nodes.get(key)?.episode', 'nodes.get(key).episode'],
        ['nodes.get(key)?.reading', 'nodes.get(key).reading'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is not soon is due as first',
      changes: [["'first'", '""']],
    },
  ],
  'reading-keeper.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each range that is read has a list',
      changes: [
        ['rows?.[0]?.[0]', 'rows?.[0][0]'],
        ['rows?.[1]', 'rows[1]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not finite',
      changes: [["typeof watchedMs !== 'number'", 'false']],
    },
    { kind: 'equal', reason: 'a text is no reading', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is not put is deleted',
      changes: [["'delete'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: without a store nothing is ever loaded',
      changes: [['store === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'what is due at the same moment stays so',
      changes: [['dueMs <= soonMs', 'dueMs < soonMs']],
    },
  ],
  'recorder.ts': [
    {
      kind: 'equal',
      reason: 'the newest so many of fewer are all of them',
      changes: [
        ['samples.length > WAITING_MAX', 'true'],
        ['samples.length > WAITING_MAX', 'samples.length >= WAITING_MAX'],
      ],
    },
  ],
  'watchdog.ts': [
    {
      kind: 'equal',
      reason: 'before the first judgement no poll is known either',
      changes: [['false', 'true']],
    },
  ],
}
