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
}
