import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_PROTOCOL: FolderReasons = {
  'address-space.ts': [
    {
      kind: 'equal',
      reason: 'its place is before the first either way',
      changes: [["'loopback'", '""']],
    },
  ],
  'answer-words.ts': [
    {
      kind: 'unseen',
      reason: 'a member that is undefined reads as one that is absent',
      changes: [
        ['page !== undefined', 'true'],
        ['asked !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'both sides of the comparison go the same way',
      changes: [['challenge?.scheme.toLowerCase()', 'challenge?.scheme.toUpperCase()']],
    },
    {
      kind: 'equal',
      reason: 'neither is the type of a page',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'redact.ts': [
    {
      kind: 'equal',
      reason: 'the empty parts between are too short to be sought',
      changes: [['/[\\s,;:="]+/', '/[\\s,;:="]/']],
    },
  ],
  'reply.ts': [
    {
      kind: 'unseen',
      reason: 'a member that is undefined reads as one that is absent',
      changes: [['wait === undefined', 'false']],
    },
  ],
}
