import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_BASE: FolderReasons = {
  'bytes.ts': [
    {
      kind: 'equal',
      reason: 'an array of bytes takes nothing beyond its end',
      changes: [['i < bytes.length', 'i <= bytes.length']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what matched has both groups',
      changes: [
        ['digits === undefined', 'false'],
        ['padding === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'both groups match or neither',
      changes: [
        ['digits === undefined || padding === undefined', 'digits === undefined && padding === undefined'],
      ],
    },
  ],
  'steady.ts': [
    {
      kind: 'equal',
      reason: 'asked only of steps of more than two seconds',
      changes: [['stepMs > 0', 'stepMs >= 0']],
    },
  ],
  'csv.ts': [
    {
      kind: 'equal',
      reason: 'a number without a sign is written as it is either way',
      changes: [[String.raw`/^-?\d+(\.\d+)?$/`, String.raw`/^-\d+(\.\d+)?$/`]],
    },
  ],
  'visible-text.ts': [
    {
      kind: 'equal',
      reason: 'several spaces at the end are several in a row',
      changes: [['/^ +| +$| {2,}/g', '/^ +| $| {2,}/g']],
    },
    {
      kind: 'equal',
      reason: 'a text is no place, and no character lies in it',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'asked is only whether they are as written',
      changes: [["'odd-named'", '""']],
    },
  ],
}
