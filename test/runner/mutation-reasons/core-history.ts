import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_HISTORY: FolderReasons = {
  'codec/byte-stream.ts': [
    {
      kind: 'equal',
      reason: 'a shorter way for small numbers: the longer one reads the same',
      changes: [
        ['byte < LOW', 'false'],
        ['{ reader.at++ return (byte >>> 1) ^ -(byte & 1) }', '{}'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a shorter way for small numbers: the longer one writes the same',
      changes: [
        ['value >= -LOW / 2 && value < LOW / 2', 'false'],
        ['value >= -LOW / 2', 'value > -LOW / 2'],
        ['-LOW', '+LOW'],
        ['{ bytes[at] = (value << 1) ^ (value >> 31) return at + 1 }', '{}'],
      ],
    },
    { kind: 'equal', reason: '0 went the shorter way', changes: [['value < 0', 'value <= 0']] },
    {
      kind: 'equal',
      reason: 'both ways write the same of the largest that takes 31 bits',
      changes: [['rest > WHOLE_32', 'rest >= WHOLE_32']],
    },
  ],
  'codec/column-codec.ts': [
    {
      kind: 'equal',
      reason: 'digits that do not suffice are tried and given up again',
      changes: [
        ['values[stopped] ?? 0', 'values[stopped] && 0'],
        ['digits <= DIGITS_MAX && !isWholeAt(value, SCALES[digits] ?? 1)', 'false'],
        ['digits <= DIGITS_MAX', 'digits < DIGITS_MAX'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'is refused behind the runs all the same, only later',
      changes: [
        ['length > count - place', 'false'],
        ['count - place', 'count + place'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is not there yet counts as 0 where numbers are read',
      changes: [['place < count', 'false']],
    },
    {
      kind: 'equal',
      reason: 'only whether it is NaN is asked, which it is then all the same',
      changes: [['values[place] ?? 0', 'values[place] && 0']],
    },
    {
      kind: 'unseen',
      reason: 'only how much memory is made ready',
      changes: [['end - start', 'end + start']],
    },
  ],
  'codec/flag-codec.ts': [
    {
      kind: 'equal',
      reason: 'an array of bytes takes nothing beyond its end',
      changes: [['row < flags.length', 'row <= flags.length']],
    },
    {
      kind: 'equal',
      reason: 'columns that are empty say the same of every row',
      changes: [
        ['value.length > 0', 'true'],
        ['value.length > 0', 'value.length >= 0'],
        ['recorded.filter(({ text }) => text.length > 0)', 'recorded'],
        ['text.length > 0', 'true'],
        ['text.length > 0', 'text.length >= 0'],
      ],
    },
  ],
  'codec/rollup-codec.ts': [
    {
      kind: 'unseen',
      reason: 'only how much memory there is at first',
      changes: [['rollup.startMs.length * 32', 'rollup.startMs.length / 32']],
    },
  ],
  'codec/series-codec.ts': [
    {
      kind: 'unseen',
      reason: 'only how much memory there is at first',
      changes: [
        ['(end - start) * 8', '(end - start) / 8'],
        ['end - start', 'end + start'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each text has its place',
      changes: [["''", '"Stryker was here!"']],
    },
    { kind: 'equal', reason: 'a state has no columns of its own', changes: [["'state'", '""']] },
    {
      kind: 'equal',
      reason: 'before the first there is no word, which is another one',
      changes: [['count === 0', 'false']],
    },
    {
      kind: 'equal',
      reason: 'nothing is known behind the last row',
      changes: [['place < count', 'place <= count']],
    },
    {
      kind: 'unseen',
      reason: 'engines hand a later one and an earlier one to it, in this order',
      changes: [
        ["a.metric.kind === 'fingerprint'", 'false'],
        ["'fingerprint'", '""'],
      ],
    },
  ],
  'codec/step-codec.ts': [
    {
      kind: 'equal',
      reason: 'an array of doubles takes nothing beyond its end',
      changes: [['place < end', 'place <= end']],
    },
  ],
  'codec/value-codec.ts': [
    {
      kind: 'equal',
      reason: 'none is the same as an expectation that is not there',
      changes: [['near === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'an expectation that is no number counts as 0, which is that of the first',
      changes: [['beforeMs !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'of one value all four are it, and so is what is worked out for more',
      changes: [['many < 2', 'false']],
    },
    {
      kind: 'equal',
      reason: 'of two values the lowest and the highest are the first and the last',
      changes: [['many === 2', 'false']],
    },
  ],
  'codec/wal-codec.ts': [
    {
      kind: 'unseen',
      reason: 'only how much memory there is at first',
      changes: [
        ['(to - from) * 12', '(to - from) / 12'],
        ['to - from', 'to + from'],
      ],
    },
  ],
  'codec/whole-codec.ts': [
    {
      kind: 'equal',
      reason: 'only whether it is NaN is asked, which it is then all the same',
      changes: [['values[place] ?? 0', 'values[place] && 0']],
    },
    {
      kind: 'equal',
      reason: 'a shorter way for whole numbers: the longer one does the same',
      changes: [
        ['scale === 1', 'false'],
        ['(value | 0) === value', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a whole number divided by 1 is itself, and leaves no rest',
      changes: [
        ['unit > 1', 'true'],
        ['unit > 1', 'unit >= 1'],
      ],
    },
  ],
  'counter.ts': [
    {
      kind: 'equal',
      reason: 'an array of doubles takes nothing beyond its end',
      changes: [['place < end', 'place <= end']],
    },
  ],
  'decimate.ts': [
    {
      kind: 'equal',
      reason: 'the lowest and the highest are the same place only where both are the first',
      changes: [
        ['earlier !== last', 'true'],
        ['later !== first', 'true'],
        ['lowest < highest', 'lowest <= highest'],
        ['later !== earlier && later !== first', 'later !== earlier || later !== first'],
        ['later !== earlier', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'only how much memory there is at first',
      changes: [
        [
          'Math.min(5 * columns.count, 2 * Math.max(0, end - start))',
          'Math.max(5 * columns.count, 2 * Math.max(0, end - start))',
        ],
        ['end - start', 'end + start'],
      ],
    },
    {
      kind: 'equal',
      reason: 'the first value sets it',
      changes: [['{ first: 0, lowest: 0, highest: 0, last: 0 }', '{}']],
    },
    {
      kind: 'equal',
      reason: 'before the first value there is no line to break',
      changes: [
        ['false', 'true'],
        ['column !== -1', 'true'],
      ],
    },
  ],
  'event-log.ts': [
    {
      kind: 'equal',
      reason: 'times that are the same were told apart before',
      changes: [['one.wallMs < other.wallMs', 'one.wallMs <= other.wallMs']],
    },
    {
      kind: 'equal',
      reason: 'every text holds the empty one',
      changes: [
        ["wanted === ''", 'false'],
        ["''", '"Stryker was here!"'],
      ],
    },
  ],
  'histogram.ts': [
    {
      kind: 'unseen',
      reason: 'only spares a copy',
      changes: [
        ['other.buckets.length === 0', 'false'],
        ['one.buckets.length === 0', 'false'],
        ['used.length === 0', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'behind the last bucket there is nothing to count',
      changes: [
        ['place < counts.length', 'place <= counts.length'],
        ['place < buckets.length', 'place <= buckets.length'],
      ],
    },
  ],
  'history-status.ts': [
    {
      kind: 'equal',
      reason: 'what is no number is not finite either',
      changes: [["typeof lastMs !== 'number'", 'false']],
    },
  ],
  'memory-history.ts': [
    { kind: 'equal', reason: 'what has no end ends nothing', changes: [['[]', '["Stryker was here"]']] },
  ],
  'roll-series.ts': [
    {
      kind: 'unseen',
      reason: 'rows that ended before the range are gone through for nothing',
      changes: [['Math.max(0, start - 1)', 'Math.min(0, start - 1)']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each metric has its columns, and each text its place',
      changes: [
        ['columns.metrics[which]?.text', 'columns.metrics[which].text'],
        ['text?.[place]', 'text[place]'],
        ["''", '"Stryker was here!"'],
        ['metric !== undefined', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: where there is a spread there is a tally of it',
      changes: [
        ['spread !== undefined && tally !== undefined', 'spread !== undefined || tally !== undefined'],
        ['spread !== undefined', 'true'],
        ['tally !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is no state holds no word',
      changes: [
        ['[]', '["Stryker was here"]'],
        ["case 'state': return undefined", "case 'state': // by the time for which it held"],
        ["'state'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason:
        'a row is begun before anything is put into one; where there is no poll nothing is known that could be',
      changes: [
        ['-1', '+1'],
        ['end - start', 'end + start'],
        ['row < 0', 'false'],
        ['row >= 0', 'true'],
        ['at < rows.length', 'at <= rows.length'],
      ],
    },
    { kind: 'equal', reason: 'nothing is added', changes: [['by !== 0', 'true']] },
    {
      kind: 'equal',
      reason: 'of two that are the same either is the lowest and the highest',
      changes: [
        ['value < (columns.min[row] ?? 0)', 'value <= (columns.min[row] ?? 0)'],
        ['value > (columns.max[row] ?? 0)', 'value >= (columns.max[row] ?? 0)'],
      ],
    },
  ],
  'rolled-series-data.ts': [
    {
      kind: 'equal',
      reason: 'only spares a copy, or a loop over nothing',
      changes: [
        ['stepMs === rollup.stepMs', 'false'],
        ['start === 0 && end === startMs.length', 'false'],
        ['column === before + 1', 'false'],
        ['before + 1', 'before - 1'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: at its own step a metric is what it is in columns',
      changes: [
        ["fine?.kind !== 'counter'", 'false'],
        ['fine?.kind', 'fine.kind'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a state has no series',
      changes: [
        ["case 'state': return undefined", "case 'state':"],
        ["'state'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'behind the last one there is nothing to count',
      changes: [
        ['column < startMs.length', 'column <= startMs.length'],
        ['place < count.length', 'place <= count.length'],
      ],
    },
    {
      kind: 'equal',
      reason: 'where the first poll is the last one, its value is the highest',
      changes: [['end !== high', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is no answer has no code of one',
      changes: [
        ["outcome === 'answered'", 'false'],
        ["outcome !== 'answered'", 'true'],
        ["'answered'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'of two that are the same either is the lowest and the highest',
      changes: [
        ['stats.min <= low', 'stats.min < low'],
        ['stats.max >= high', 'stats.max > high'],
      ],
    },
  ],
  'rollup.ts': [
    {
      kind: 'equal',
      reason: 'both are the same of a sum of just so much',
      changes: [['Math.abs(sum) < 1e9', 'Math.abs(sum) <= 1e9']],
    },
    {
      kind: 'unseen',
      reason: 'only spares time: row by row comes to the same, but for columns that are 0 throughout',
      changes: [
        ['parts.every((part) => part.stepMs === stepMs) && areApart(parts)', 'false'],
        ['(part) => part.stepMs === stepMs', '() => undefined'],
        ['part.stepMs === stepMs', 'false'],
        ['{ for (const part of parts) appendRollup(whole, part) return whole }', '{}'],
        [
          '{ let lastMs = Number.NEGATIVE_INFINITY for (const { startMs } of parts) { if ((startMs[0] ?? Number.POSITIVE_INFINITY) <= lastMs) return false lastMs = startMs.at(-1) ?? lastMs } return true }',
          '{}',
        ],
        ['(startMs[0] ?? Number.POSITIVE_INFINITY) <= lastMs', 'true'],
        [
          '(startMs[0] ?? Number.POSITIVE_INFINITY) <= lastMs',
          '(startMs[0] ?? Number.POSITIVE_INFINITY) > lastMs',
        ],
        ['true', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: both are of one kind, and have a spread where the other has',
      changes: [
        [
          "(to.kind === 'gauge' || to.kind === 'timestamp') && (from.kind === 'gauge' || from.kind === 'timestamp')",
          "to.kind === 'gauge' || to.kind === 'timestamp' || from.kind === 'gauge' || from.kind === 'timestamp'",
        ],
        ["to.kind === 'gauge' || to.kind === 'timestamp'", 'true'],
        ["from.kind === 'gauge' || from.kind === 'timestamp'", 'true'],
        [
          "to.kind === 'counter' && from.kind === 'counter'",
          "to.kind === 'counter' || from.kind === 'counter'",
        ],
        ["to.kind === 'counter'", 'true'],
        ["from.kind === 'counter'", 'true'],
        ["to.kind === 'state' && from.kind === 'state'", "to.kind === 'state' || from.kind === 'state'"],
        ["to.kind === 'state'", 'true'],
        ["from.kind === 'state'", 'true'],
        ["to.kind === 'fingerprint' && from.kind === 'fingerprint'", 'true'],
        [
          "to.kind === 'fingerprint' && from.kind === 'fingerprint'",
          "to.kind === 'fingerprint' || from.kind === 'fingerprint'",
        ],
        ["to.kind === 'fingerprint'", 'true'],
        ["from.kind === 'fingerprint'", 'true'],
        ['[]', '["Stryker was here"]'],
        ['from.spread?.[row]', 'from.spread[row]'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each part has its place',
      changes: [['parts[next]?.startMs', 'parts[next].startMs']],
    },
    {
      kind: 'equal',
      reason: 'nothing counts as 0 where places are read',
      changes: [['() => 0', '() => undefined']],
    },
    {
      kind: 'equal',
      reason: 'of two that are the same either is the first and the last',
      changes: [
        ['first <= atMs', 'first < atMs'],
        ['last >= atMs', 'last > atMs'],
      ],
    },
  ],
  'series-data.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each text has its place',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'a state has no series',
      changes: [
        ["case 'state': return undefined", "case 'state':"],
        ["'state'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a column that is empty has no text of any row',
      changes: [['text.length === 0', 'false']],
    },
    {
      kind: 'equal',
      reason: 'an array of doubles takes nothing beyond its end',
      changes: [['step < steps', 'step <= steps']],
    },
    {
      kind: 'equal',
      reason: 'of no values none is at any rank',
      changes: [['values.length === 0', 'false']],
    },
    {
      kind: 'equal',
      reason: 'of two that are the same either is the lowest and the highest',
      changes: [
        ['current >= min', 'current > min'],
        ['current <= max', 'current < max'],
      ],
    },
  ],
  'series.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: there are no other keys, and each metric has its columns',
      changes: [
        ['Object.keys(OUTCOME_CODES) .filter(isOutcome)', 'Object.keys(OUTCOME_CODES)'],
        ['[]', '["Stryker was here"]'],
        ['old.metrics[which]?.[part]', 'old.metrics[which][part]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'they stand in the order of their codes',
      changes: [
        ['(a, b) => OUTCOME_CODES[a] - OUTCOME_CODES[b]', '() => undefined'],
        ['OUTCOME_CODES[a] - OUTCOME_CODES[b]', 'OUTCOME_CODES[a] + OUTCOME_CODES[b]'],
      ],
    },
    {
      kind: 'equal',
      reason:
        'only spares work: looked for by its id, copied or gone through one by one it comes to the same',
      changes: [
        ['found === undefined', 'true'],
        ['samples.length === 1', 'false'],
        ['there?.metric === column.metric', 'false'],
        ['end - start > FEW', 'true'],
        ['end - start > FEW', 'false'],
        ['end - start > FEW', 'end - start >= FEW'],
        ['end - start > FEW', 'end - start <= FEW'],
        ['end - start', 'end + start'],
        ['old !== last', 'true'],
        [
          'from.columns.metrics.every(({ metric }, which) => columns.metrics[which]?.metric === metric)',
          'false',
        ],
        ['({ metric }, which) => columns.metrics[which]?.metric === metric', '() => undefined'],
        ['columns.metrics[which]?.metric === metric', 'false'],
        ['missing.length === 0', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a place of its own for each name is only faster, and the list of what is gathered grows',
      changes: [
        ['{ length: BLOCK }', '{}'],
        ['case 0: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 0:'],
        ['case 1: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 1:'],
        ['case 2: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 2:'],
        ['case 3: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 3:'],
        ['case 4: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 4:'],
        ['case 5: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 5:'],
        ['case 6: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 6:'],
        ['case 7: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 7:'],
        ['case 8: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 8:'],
        ['case 9: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 9:'],
        ['case 10: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 10:'],
        ['case 11: for (const fields of block) gathered[at++] = fields[key] return gathered', 'case 11:'],
        [
          '{ let slot = slots.get(key) if (slot === undefined) slots.set(key, (slot = slots.size)) return slot }',
          '{}',
        ],
        ['slot === undefined', 'true'],
        ['slot === undefined', 'false'],
        ['slot === undefined', 'slot !== undefined'],
      ],
    },
    {
      kind: 'equal',
      reason: 'the place behind the last one is written anew when it is taken',
      changes: [
        ['at < block.length', 'at <= block.length'],
        ['place < start + block.length', 'place <= start + block.length'],
        ['place < end', 'place <= end'],
        ['place < length', 'place <= length'],
        ['place < Math.min(series.length, text.length)', 'place <= Math.min(series.length, text.length)'],
        ['Math.min(series.length, text.length)', 'Math.max(series.length, text.length)'],
      ],
    },
    {
      kind: 'equal',
      reason: 'an array without places takes nothing, and a metric of one kind has nothing for it',
      changes: [
        ['value.length > 0', 'true'],
        ['value.length > 0', 'value.length >= 0'],
        ['codes.length > 0', 'true'],
        ['codes.length > 0', 'codes.length >= 0'],
        ['increase.length > 0', 'true'],
        ['increase.length > 0', 'increase.length >= 0'],
        ['print.length > 0', 'true'],
        ['print.length > 0', 'print.length >= 0'],
        ['flags.length > 0', 'true'],
        ['flags.length > 0', 'flags.length >= 0'],
        ['text.length > 0', 'true'],
        ['text.length > 0', 'text.length >= 0'],
        ['column.value.length > 0', 'true'],
        ['column.value.length > 0', 'column.value.length >= 0'],
        ['column[part].length > 0', 'true'],
        ['column[part].length > 0', 'column[part].length >= 0'],
      ],
    },
  ],
  'spans.ts': [
    {
      kind: 'equal',
      reason: 'what is not in the list comes before the others as well',
      changes: [["'no-answer'", '""']],
    },
    {
      kind: 'equal',
      reason: 'the last one ends behind the start of every column',
      changes: [
        ['at < spans.length - 1', 'true'],
        ['at < spans.length - 1', 'at <= spans.length - 1'],
        ['spans.length - 1', 'spans.length + 1'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: there is one at each place that is looked at',
      changes: [
        ['spans[at]?.toMs', 'spans[at].toMs'],
        ['spans[next]?.fromMs', 'spans[next].fromMs'],
        ['span !== undefined', 'true'],
        ['worst === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'behind the last one there is none',
      changes: [['next < spans.length', 'next <= spans.length']],
    },
    {
      kind: 'unseen',
      reason: 'rows that ended before the range are gone through for nothing',
      changes: [
        ['Math.max(0, placeAt(series, range.fromMs) - 1)', 'Math.min(0, placeAt(series, range.fromMs) - 1)'],
      ],
    },
  ],
  'store/compaction-guard.ts': [
    {
      kind: 'equal',
      reason: 'only waits for what is over: nothing, or what has ended',
      changes: [
        ['underWay !== undefined', 'true'],
        ['{ underWay = undefined }', '{}'],
      ],
    },
    {
      kind: 'equal',
      reason: 'numbers that go down are other ones each time, too',
      changes: [['begun++', 'begun--']],
    },
  ],
  'store/compaction.ts': [
    { kind: 'equal', reason: 'what is not put is deleted', changes: [["'delete'", '""']] },
    {
      kind: 'unseen',
      reason: 'what is read anew goes on by itself, whatever it was called',
      changes: [["'taken'", '""']],
    },
    {
      kind: 'equal',
      reason: 'one row at a time comes to the same: a segment ends behind each of its rows',
      changes: [
        [
          'Math.max(place + 1, placeAt(series, segmentToMs(id)))',
          'Math.min(place + 1, placeAt(series, segmentToMs(id)))',
        ],
        ['place + 1', 'place - 1'],
      ],
    },
    {
      kind: 'equal',
      reason: 'of a quarter of an hour there is something where there is of its hour',
      changes: [
        [
          'rollups.every(({ rollup }) => rollup.startMs.length === 0)',
          'rollups.some(({ rollup }) => rollup.startMs.length === 0)',
        ],
      ],
    },
    {
      kind: 'equal',
      reason: 'of no rows, or no time, there is nothing to sum up, and one roll-up adds up to itself',
      changes: [
        ['lateFrom < lateTo', 'true'],
        ['lateFrom < lateTo', 'lateFrom <= lateTo'],
        ['fromMs < toMs', 'true'],
        ['fromMs < toMs', 'fromMs <= toMs'],
        ['parts.length === 1 && only !== undefined', 'false'],
        ['only !== undefined', 'only === undefined'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: where there is one part it is there, and a segment’s name is one',
      changes: [
        ['only !== undefined', 'true'],
        ['id !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'once the newest one holds what remains, the older ones may come in any order',
      changes: [
        ['(a, b) => b.index - a.index', '() => undefined'],
        ['b.index - a.index', 'b.index + a.index'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'only how much memory there is at first',
      changes: [
        ['Math.max(1, series.length - from)', 'Math.min(1, series.length - from)'],
        ['series.length - from', 'series.length + from'],
        [
          'Math.max( 1, remainder.reduce((sum, { part }) => sum + part.length, 0), )',
          'Math.min(1, remainder.reduce((sum, { part }) => sum + part.length, 0))',
        ],
        ['(sum, { part }) => sum + part.length', '() => undefined'],
        ['sum + part.length', 'sum - part.length'],
      ],
    },
  ],
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
      kind: 'equal',
      reason: 'every text comes after all numbers',
      changes: [["''", '"Stryker was here!"']],
    },
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
        ['start < length', 'true'],
        ['start < length', 'start <= length'],
        [
          '({ columns, length }: Series): number => length === 0 ? Number.NEGATIVE_INFINITY : (columns.atMs[length - 1] ?? 0)',
          '() => undefined',
        ],
        ['length === 0', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only the memory that there is at first: it grows',
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
  'store/last-values.ts': [
    {
      kind: 'unseen',
      reason: 'only spares reading: what is known comes before what is looked up',
      changes: [['Object.keys(known.values).length === 0', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each text has a first part and a place, and each code an outcome',
      changes: [
        ["''", '"Stryker was here!"'],
        ['kind === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'no field is called so',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'store/load-history.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: samples are no rollups, and have no end of them',
      changes: [
        ["kind === 'samples'", 'false'],
        ["'samples'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is missing was remembered, and a node that is known has a row',
      changes: [
        ['state.known?.lastMs', 'state.known.lastMs'],
        ['series.length === 0', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not more than another',
      changes: [['aliveMs !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'memory moves its rows by how far a gap goes back, and does not ask why',
      changes: [["'clock-step'", '""']],
    },
    {
      kind: 'equal',
      reason: 'rows that are there already are there once',
      changes: [['lastMsOf(head.nodes.get(node)?.series) + 1', 'lastMsOf(head.nodes.get(node)?.series) - 1']],
    },
  ],
  'store/maintenance.ts': [
    {
      kind: 'equal',
      reason:
        'only spares a look: of a day that was merged nothing is left to merge, and each segment is by itself',
      changes: [
        ['completeMs !== mergedMs', 'true'],
        ['(a, b) => b.index - a.index', '() => undefined'],
        ['b.index - a.index', 'b.index + a.index'],
      ],
    },
  ],
  'store/merge-blocks.ts': [
    {
      kind: 'unseen',
      reason: 'only spares reading values that nobody looks at',
      changes: [['true', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range, with the record that it listed',
      changes: [
        ['[]', '["Stryker was here"]'],
        ['row?.value', 'row.value'],
        ['first === undefined', 'false'],
      ],
    },
  ],
  'store/persistence.ts': [
    {
      kind: 'equal',
      reason: 'both say whether it was kept',
      changes: [['settled(done) && done.ok', 'settled(done) || done.ok']],
    },
    {
      kind: 'unseen',
      reason: 'entries of the log are tried as well, and what failed is said all the same',
      changes: [['!samples.ok', 'false']],
    },
  ],
  'store/read-events.ts': [
    {
      kind: 'equal',
      reason:
        'behind the last row there is none, and a page with fewer than it may have has none at that place',
      changes: [
        ['at < rows.length', 'at <= rows.length'],
        ['found.size < limit', 'false'],
      ],
    },
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
  'store/read-history.ts': [
    {
      kind: 'equal',
      reason:
        'of no rows, or no time, there is nothing to sum up, and a text is neither a gap nor a part of time',
      changes: [
        ['all.length === 0', 'false'],
        ['first < late', 'true'],
        ['first < late', 'first <= late'],
        ['fromMs < toMs', 'true'],
        ['fromMs < toMs', 'fromMs <= toMs'],
        ['[]', '["Stryker was here"]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is put into a map that was given up is looked at by nobody',
      changes: [['state.usual === usual', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'only spares reading: what is read anew says the same',
      changes: [
        ['closeMs > closedMs', 'true'],
        ['closeMs > closedMs', 'closeMs >= closedMs'],
      ],
    },
  ],
  'store/records.ts': [
    {
      kind: 'unseen',
      reason: 'only spares reading values that nobody looks at',
      changes: [['true', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range, and no metric is called so',
      changes: [
        ['[]', '["Stryker was here"]'],
        ['keys.value[place] ?.map', 'keys.value[place].map'],
        [
          'values.value[held.indexOf(spanning[place])]?.[0]?.value',
          'values.value[held.indexOf(spanning[place])]?.[0].value',
        ],
        [
          'values.value[held.indexOf(spanning[place])]?.[0]',
          'values.value[held.indexOf(spanning[place])][0]',
        ],
      ],
    },
    {
      kind: 'equal',
      reason: 'times of one length that run into nodes are as different as they were',
      changes: [["' '", '""']],
    },
    {
      kind: 'equal',
      reason: 'what is nothing is no record either',
      changes: [['value === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'the row before lies in the same time, or there is none',
      changes: [['start + 1', 'start - 1']],
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
  'store/store-state.ts': [
    {
      kind: 'equal',
      reason: 'numbers that go down are multiples of eight as often',
      changes: [['++yields', '--yields']],
    },
    {
      kind: 'unseen',
      reason: 'a start says first that nothing was read yet',
      changes: [['false', 'true']],
    },
  ],
  'store/wal.ts': [
    {
      kind: 'equal',
      reason: 'records have no gaps but those of a clock that was set back',
      changes: [
        ['toMs < fromMs', 'true'],
        ['toMs < fromMs', 'toMs <= fromMs'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is to be written is there, and a store answers each range',
      changes: [
        ['only !== undefined', 'true'],
        ['[]', '["Stryker was here"]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only spares a copy, or how much memory there is at first',
      changes: [
        ['batches.length === 1 && only !== undefined', 'false'],
        ['only !== undefined', 'only === undefined'],
        ['Math.max(1, count)', 'Math.min(1, count)'],
      ],
    },
    {
      kind: 'equal',
      reason: 'of two that are the same either is the first and the last',
      changes: [
        ['at < firstMs', 'at <= firstMs'],
        ['at > lastMs', 'at >= lastMs'],
      ],
    },
    {
      kind: 'equal',
      reason: 'nothing comes before all keys as well, and every text after all numbers',
      changes: [
        ['[Number.NEGATIVE_INFINITY]', '[]'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'equal',
      reason: 'rows that are added one by one, or with those of the same node behind them, come to the same',
      changes: [
        ['start < rows.length', 'start <= rows.length'],
        ['start < carried', 'true'],
        ['start < carried', 'false'],
        ['start < carried', 'start <= carried'],
        ['start < carried', 'start >= carried'],
        ['end < limit && nodes[end] === number', 'false'],
        ['end < limit', 'true'],
        ['end < limit', 'end <= limit'],
        ['end < limit', 'end >= limit'],
      ],
    },
  ],
  'transfer/backup.ts': [
    {
      kind: 'equal',
      reason: 'nothing comes before all keys as well, and no two segments are of one kind and time',
      changes: [
        ['[Number.NEGATIVE_INFINITY]', '[]'],
        ['a.kind < b.kind', 'a.kind <= b.kind'],
      ],
    },
    {
      kind: 'unseen',
      reason:
        'for the compiler: a store answers each range, where there are rows there is a last one, and rows come into a database',
      changes: [
        ['[]', '["Stryker was here"]'],
        ['found.at(-1)?.key', 'found.at(-1).key'],
        ['database === undefined', 'false'],
        ['opened.ok', 'true'],
        ["'database'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'only spares a read of what is over, or a write of nothing',
      changes: [
        ['found.length < ROWS_STEP', 'false'],
        ['database === undefined || batch.length === 0', 'database === undefined && batch.length === 0'],
        ['batch.length === 0', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'one character more of eight million',
      changes: [['characters < CHARACTERS_STEP', 'characters <= CHARACTERS_STEP']],
    },
    {
      kind: 'equal',
      reason: 'another line that is damaged is refused for that all the same',
      changes: [['line === 1', 'true']],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not a finite one',
      changes: [["typeof part === 'number'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'a function without a return gives undefined as well',
      changes: [['{ return undefined }', '{}']],
    },
  ],
  'transfer/delete-node.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason: 'only how much memory there is at first',
      changes: [['Math.max(1, rows.length)', 'Math.min(1, rows.length)']],
    },
    {
      kind: 'equal',
      reason: 'behind the last row there is nobody, and rows of one node may be told one by one',
      changes: [
        ['at < rows.length', 'at <= rows.length'],
        ['last?.node === name', 'false'],
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
  'transfer/import-node.ts': [
    {
      kind: 'equal',
      reason: 'nothing comes before all keys as well, and every text after all numbers',
      changes: [
        ['[Number.NEGATIVE_INFINITY]', '[]'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'unseen',
      reason:
        'that it was dropped is seen by its not being completed, and what there is may be counted once more',
      changes: [
        ["'dropped'", '""'],
        ['taken !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a part of no rows adds none, and behind the last row lies the first hour of 1970',
      changes: [
        ['from < series.length', 'from <= series.length'],
        ['row < here.length', 'row <= here.length'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a store answers each range',
      changes: [
        ['[]', '["Stryker was here"]'],
        ['metas[0]?.value', 'metas[0].value'],
        ['read.value[0]?.[0]', 'read.value[0][0]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not more than another',
      changes: [["typeof toMs === 'number'", 'true']],
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
  'tiers.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where there is no match there is no kind either',
      changes: [['match?.[2]', 'match[2]']],
    },
  ],
  'usual.ts': [
    {
      kind: 'equal',
      reason:
        'of no polls the share is no number, which is not enough either; and what has no weight does not count',
      changes: [
        ['polls > 0', 'true'],
        ['polls > 0', 'polls >= 0'],
        ['n > 2', 'n >= 2'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: where there is a lowest value there is a highest one',
      changes: [
        ['low === undefined || high === undefined', 'low === undefined && high === undefined'],
        ['low === undefined', 'false'],
        ['high === undefined', 'false'],
      ],
    },
  ],
}
