import type { Reason } from './mutation-score.ts'

/** Why changes survive; texts with each run of spaces and line ends as one space. A run names those it no longer needs. */
export const REASONS: readonly Reason[] = [
  {
    file: 'src/core/base/bytes.ts',
    original: 'i < bytes.length',
    replacement: 'i <= bytes.length',
    kind: 'equal',
    reason: 'an array of bytes takes nothing beyond its end',
  },
  {
    file: 'src/core/base/bytes.ts',
    original: 'digits === undefined',
    replacement: 'false',
    kind: 'unseen',
    reason: 'for the compiler: what matched has both groups',
  },
  {
    file: 'src/core/base/bytes.ts',
    original: 'padding === undefined',
    replacement: 'false',
    kind: 'unseen',
    reason: 'for the compiler: what matched has both groups',
  },
  {
    file: 'src/core/base/bytes.ts',
    original: 'digits === undefined || padding === undefined',
    replacement: 'digits === undefined && padding === undefined',
    kind: 'equal',
    reason: 'both groups match or neither',
  },
  {
    file: 'src/core/base/steady.ts',
    original: 'stepMs > 0',
    replacement: 'stepMs >= 0',
    kind: 'equal',
    reason: 'asked only of steps of more than two seconds',
  },
]
