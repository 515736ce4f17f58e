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
      changes: [['true', 'false']],
    },
    {
      kind: 'equal',
      reason: 'a poll is noted only when it is judged, so that the judgement is never older',
      changes: [
        ['nowMs - lastJudgedMs < limitMs', 'true'],
        ['nowMs - lastJudgedMs < limitMs', 'nowMs - lastJudgedMs <= limitMs'],
      ],
    },
  ],
}
