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
  {
    file: 'src/core/protocol/address-space.ts',
    original: "'loopback'",
    replacement: '""',
    kind: 'equal',
    reason: 'its place is before the first either way',
  },
  {
    file: 'src/core/protocol/answer-words.ts',
    original: 'page !== undefined',
    replacement: 'true',
    kind: 'unseen',
    reason: 'a member that is undefined reads as one that is absent',
  },
  {
    file: 'src/core/protocol/answer-words.ts',
    original: 'asked !== undefined',
    replacement: 'true',
    kind: 'unseen',
    reason: 'a member that is undefined reads as one that is absent',
  },
  {
    file: 'src/core/protocol/answer-words.ts',
    original: 'challenge?.scheme.toLowerCase()',
    replacement: 'challenge?.scheme.toUpperCase()',
    kind: 'equal',
    reason: 'both sides of the comparison go the same way',
  },
  {
    file: 'src/core/protocol/answer-words.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    kind: 'equal',
    reason: 'neither is the type of a page',
  },
  {
    file: 'src/core/protocol/redact.ts',
    original: '/[\\s,;:="]+/',
    replacement: '/[\\s,;:="]/',
    kind: 'equal',
    reason: 'the empty parts between are too short to be sought',
  },
  {
    file: 'src/core/protocol/reply.ts',
    original: 'wait === undefined',
    replacement: 'false',
    kind: 'unseen',
    reason: 'a member that is undefined reads as one that is absent',
  },
]
