import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_FLEET: FolderReasons = {
  'complete-filter.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a field with words has a metric, or is one of the two before',
      changes: [['metric !== undefined', 'true']],
    },
  ],
  'filter.ts': [
    {
      kind: 'equal',
      reason:
        'no operator is called so, and what a pattern found or a term without a value has is never empty here',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'what is not known was refused before',
      changes: [
        ['state === undefined', 'false'],
        ['[]', '["Stryker was here"]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is shown of a number is a plain decimal',
      changes: [
        ['/^\\d+(\\.\\d+)?$/', '/\\d+(\\.\\d+)?$/'],
        ['/^\\d+(\\.\\d+)?$/', '/^\\d+(\\.\\d+)?/'],
      ],
    },
    {
      kind: 'equal',
      reason: 'as few as possible before the last letter is all before it',
      changes: [['/^(.*?)([kmgbt])$/i', '/(.*?)([kmgbt])$/i']],
    },
  ],
  'network-metrics.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: of what is known there is a reading, a number and a check',
      changes: [
        ['node.reading === undefined', 'false'],
        ["shown.value === undefined && metric.kind !== 'state'", 'false'],
        ['first === undefined', 'false'],
        [
          'checkOf(stageAt(node.assessment, nowMs).checks, id)?.state',
          'checkOf(stageAt(node.assessment, nowMs).checks, id).state',
        ],
      ],
    },
    {
      kind: 'unseen',
      reason: 'a node whose service is gone is not in the snapshot',
      changes: [["''", '"Stryker was here!"']],
    },
    { kind: 'equal', reason: 'nothing is 0 in a sum', changes: [["'0'", '""']] },
  ],
}
