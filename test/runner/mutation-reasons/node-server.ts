import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

const NO_TEXT = 'no text is as little of what is looked for as any other that has nothing of it'

export const NODE_SERVER: FolderReasons = {
  'relay.ts': [
    {
      kind: 'equal',
      reason: 'neither text is a content type or a time, and splitting gives an id always',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'without a receiver there is no address either',
      changes: [['listed === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'whoever is gone gets no answer, whatever it is',
      changes: [
        ["answer.error === 'gone'", 'false'],
        ["'gone'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'Node keeps answers below 200 to itself',
      changes: [['status >= 200', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'the signal is of this request alone, and forgotten with it',
      changes: [["'abort'", '""']],
    },
    {
      kind: 'unseen',
      reason:
        'a browser that is gone before a receiver is asked: its message is read whole, and only then is anything asked',
      changes: [['signal.aborted', 'false']],
    },
  ],
  'static-host.ts': [
    { kind: 'equal', reason: NO_TEXT, changes: [["''", '"Stryker was here!"']] },
    {
      kind: 'equal',
      reason: 'no type in the list has these words but at its beginning',
      changes: [['/^(text|application)\\/|svg/', '/(text|application)\\/|svg/']],
    },
  ],
}
