import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_RECORD: FolderReasons = {
  'amount.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a split text has a first part',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'the two are not the same here',
      changes: [
        ['wholeA.length < wholeB.length', 'wholeA.length <= wholeB.length'],
        ['wholeA < wholeB', 'wholeA <= wholeB'],
      ],
    },
    {
      kind: 'equal',
      reason: 'the same amount is put in its own place',
      changes: [
        ['each < low', 'each <= low'],
        ['each > high', 'each >= high'],
      ],
    },
  ],
  'clock-offset.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: nothing reads as no date',
      changes: [['date === undefined', 'false']],
    },
  ],
  'detect.ts': [
    {
      kind: 'equal',
      reason: 'the weight is not looked at without a unit',
      changes: [['[undefined, 0]', '[]']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: nothing is no more than nought, and has no votes',
      changes: [
        ['stepMs !== undefined', 'true'],
        ['leader === undefined', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'both sides are halved one reading in two thousand earlier',
      changes: [['sum > VOTES_MAX', 'sum >= VOTES_MAX']],
    },
    {
      kind: 'equal',
      reason: 'nought comes out as nought',
      changes: [['count < 1', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: it is young until there is one',
      changes: [['found !== undefined', 'true']],
    },
  ],
  'exact-number.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what matched has a sign, if an empty one, and a whole part',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'an empty text is the number 0 as well',
      changes: [["'0'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a double has no more digits than the text that it was read from',
      changes: [
        ['parseExactNumber(String(number.value))?.text', 'parseExactNumber(String(number.value)).text'],
      ],
    },
  ],
  'field.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a number has its text',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'heartbeat-age.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: no other kind has an age here, and nothing is not longer than a period',
      changes: [
        ["byDate.kind === 'known'", 'true'],
        ['unchangedMs !== undefined', 'true'],
      ],
    },
  ],
  'heartbeat-offset.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: after where a stretch begins there is where it ends',
      changes: [['edges[place + 1]?.atMs', 'edges[place + 1].atMs']],
    },
  ],
  'json-record.ts': [
    {
      kind: 'equal',
      reason: 'the brace of the whole comes first, after which no value is expected',
      changes: [['false', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a value has a name before it, and what is none is deleted from nowhere',
      changes: [['name !== undefined', 'true']],
    },
  ],
  'service-name.ts': [
    {
      kind: 'equal',
      reason: 'a base URL begins with its scheme',
      changes: [[String.raw`/^https?:\/\//`, String.raw`/https?:\/\//`]],
    },
  ],
  'service.ts': [
    {
      kind: 'equal',
      reason: 'a function without a result gives none',
      changes: [
        [
          '{ return undefined // the URL parser throws a TypeError whose text differs between engines }',
          '{}',
        ],
      ],
    },
  ],
}
