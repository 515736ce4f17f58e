import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_HISTORY: FolderReasons = {
  'store/derive-events.ts': [
    {
      kind: 'equal',
      reason: 'a metric that is measured is a gauge, and never a settled one',
      changes: [['field === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'what is undefined is left out where the entry is added',
      changes: [['sample.serviceMs !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'only a counter says that it began anew',
      changes: [["kind === 'counter'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a verdict that differs is there',
      changes: [['sample.more?.proof', 'sample.more.proof']],
    },
    {
      kind: 'equal',
      reason: 'put over what was known, a whole sample is the same: this only saves the copy',
      changes: [
        ['({ id }) => texts[id] !== undefined', '() => undefined'],
        ['texts[id] !== undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a copy of the sample says the same',
      changes: [['found === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: asked of failures only',
      changes: [
        ["'unreachable'", '""'],
        ["outcome === 'answered'", 'false'],
        ["outcome !== 'answered'", 'true'],
        ["'answered'", '""'],
      ],
    },
  ],
  'store/event-buffer.ts': [
    {
      kind: 'equal',
      reason: 'none too many: none goes',
      changes: [['over <= 0', 'over < 0']],
    },
  ],
  'store/event-rows.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where there are eight words of nodes there is all that comes before them',
      changes: [
        'areas === undefined',
        'toMs === undefined || fromMs === undefined || seq === undefined || count === undefined',
        'toMs === undefined || fromMs === undefined || seq === undefined',
        'toMs === undefined || fromMs === undefined',
        'toMs === undefined',
        'fromMs === undefined',
        'seq === undefined',
        'count === undefined',
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: there is an entry at least',
      changes: [
        ['entries.at(-1)?.entry', 'entries.at(-1).entry'],
        ['entries[0]?.entry', 'entries[0].entry'],
      ],
    },
    {
      kind: 'equal',
      reason: 'nothing is no JSON either',
      changes: [['bytes === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'a function without a return gives undefined as well',
      changes: [['{ return undefined }', '{}']],
    },
  ],
  'store/flush-events.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: there is an entry at least, and in each row too',
      changes: [
        ['entries[0]?.entry', 'entries[0].entry'],
        ['last !== undefined && first !== undefined', 'last !== undefined || first !== undefined'],
        ['last !== undefined', 'true'],
        ['first !== undefined', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'store/generations.ts': [
    {
      kind: 'equal',
      reason: 'looked at one of two alone, marks come last as well',
      changes: [
        ['b.segment !== undefined', 'false'],
        ['a.segment !== undefined', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'store/head-block.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: there is a sample at this place',
      changes: [
        ["''", '"Stryker was here!"'],
        ['samples[from]?.node', 'samples[from].node'],
      ],
    },
    {
      kind: 'equal',
      reason: 'samples that are added one by one come to the same',
      changes: [['samples[to]?.node === key', 'false']],
    },
    {
      kind: 'equal',
      reason: 'rows that are merged are those that are put behind the others: this only saves the merging',
      changes: [
        ['startMsOf(from, start) > lastMsOf(node.series)', 'false'],
        [
          '({ columns, length }: Series, start: number): number => start < length ? (columns.atMs[start] ?? 0) : Number.POSITIVE_INFINITY',
          '() => undefined',
        ],
        ['start < length', 'true'],
        ['start < length', 'start <= length'],
        ['columns.atMs[start] ?? 0', 'columns.atMs[start] && 0'],
        [
          '({ columns, length }: Series): number => length === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[length - 1] ?? 0)',
          '() => undefined',
        ],
        ['length === 0', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only the room that there is at first: it grows',
      changes: [
        ['Math.max(1, end - start)', 'Math.min(1, end - start)'],
        ['end - start', 'end + start'],
        ['Math.max(1, one.length + other.length)', 'Math.min(1, one.length + other.length)'],
        ['one.length + other.length', 'one.length - other.length'],
      ],
    },
    {
      kind: 'equal',
      reason: 'the rows before it come before the other’s next too, and are passed over',
      changes: [
        ['at + 1', 'at - 1'],
        ['to + 1', 'to - 1'],
      ],
    },
    {
      kind: 'equal',
      reason: 'one row at a time comes to the same',
      changes: [
        ['end < one.length && (one.columns.atMs[end] ?? 0) < theirs', 'false'],
        ['end < other.length && (other.columns.atMs[end] ?? 0) < mine', 'false'],
      ],
    },
  ],
  'store/read-events.ts': [
    {
      kind: 'equal',
      reason: 'a text that is no id, as well',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: there is a row, or an entry, at this place',
      changes: [
        ['rows[at]?.toMs', 'rows[at].toMs'],
        ['newest()[limit - 1]?.entry', 'newest()[limit - 1].entry'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a store answers each range, and what is no row is of no time',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'store/retention.ts': [
    {
      kind: 'equal',
      reason: 'what is not in the list comes before the others as well',
      changes: [["'samples'", '""']],
    },
  ],
  'store/segments.ts': [
    {
      kind: 'equal',
      reason: 'a key that is no text is passed over',
      changes: [["['']", '[]']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'only texts lie between these keys',
      changes: [["typeof key[0] === 'string'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'numbers that go down are other ones each time, too',
      changes: [['++writes', '--writes']],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not a finite one',
      changes: [["typeof given === 'number'", 'true']],
    },
  ],
  'store/self-test.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range',
      changes: [
        ['read.value[0]?.[0]', 'read.value[0][0]'],
        ['again.value[0]?.length', 'again.value[0].length'],
      ],
    },
  ],
  'transfer/export-columns.ts': [
    {
      kind: 'equal',
      reason: 'undefined is not NaN, and given back as it is',
      changes: [['value === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'the time of every row is a number',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: no value has this unit, as words have columns of their own',
      changes: [["'word'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: where they are counted there are values',
      changes: [['values?.sum', 'values.sum']],
    },
  ],
  'transfer/read-export.ts': [
    {
      kind: 'equal',
      reason: 'JSON passes over spaces',
      changes: [['text.trimEnd()', 'text.trimStart()']],
    },
    {
      kind: 'equal',
      reason: 'undefined is no whole number either',
      changes: [['atMs === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not a finite one',
      changes: [["typeof value === 'number'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'a function without a return gives undefined as well',
      changes: [['{ return undefined }', '{}']],
    },
    {
      kind: 'equal',
      reason: 'no text that ends so is null in JSON',
      changes: [['value !== null', 'true']],
    },
  ],
}
