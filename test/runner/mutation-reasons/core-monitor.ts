import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_MONITOR: FolderReasons = {
  'configure.ts': [
    { kind: 'equal', reason: 'a text is no rule, and no time', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'equal',
      reason: 'of free places only as many are taken as nodes are new',
      changes: [['wanted.size - fleet.nodes.size', 'wanted.size + fleet.nodes.size']],
    },
  ],
  'diagnose.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: nothing else has a problem that is a web page',
      changes: [["failure.kind === 'not-json'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'words that say nothing are as none',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'node-state.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what is compared has a text',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what has a name has a value',
      changes: [
        ['one === undefined', 'false'],
        ['[]', '["Stryker was here"]'],
      ],
    },
  ],
  'on-demand.ts': [
    {
      kind: 'equal',
      reason: 'no node has no key',
      changes: [['key === undefined', 'false']],
    },
  ],
  'outcome.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: after a failure there is a run of them',
      changes: [
        ['live.episode === undefined', 'false'],
        ['node.live.episode?.misses', 'node.live.episode.misses'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what answered has a reply',
      changes: [['reply !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: where a failure may name a time, there is one to ask again',
      changes: [['againMs !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'nothing was seen before what is undefined',
      changes: [['offlineSinceMs !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a unit that was detected once stays, or gives way to another',
      changes: [
        ['detected.participation?.unit', 'detected.participation.unit'],
        ["''", '"Stryker was here!"'],
      ],
    },
  ],
  'run-connection-test.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: without a record there is a failure',
      changes: [['failure !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'no header is called undefined',
      changes: [['header === undefined', 'false']],
    },
  ],
  'recovery.ts': [
    {
      kind: 'equal',
      reason: 'there is no place of no node, which is -1',
      changes: [['before === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'those behind it were looked at before',
      changes: [['nodes.slice(0, place + 1)', 'nodes']],
    },
  ],
}
