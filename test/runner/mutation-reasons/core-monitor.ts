import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_MONITOR: FolderReasons = {
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
}
