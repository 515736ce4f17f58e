import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_PIPELINE: FolderReasons = {
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
