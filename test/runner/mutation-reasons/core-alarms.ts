import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_ALARMS: FolderReasons = {
  'acts.ts': [
    {
      kind: 'unseen',
      reason: 'without a note it is kept as undefined, which is none',
      changes: [['text !== undefined', 'true']],
    },
  ],
  'alarm-evaluator.ts': [
    {
      kind: 'equal',
      reason: 'only spares work: where nodes and services are the same none is gone',
      changes: [
        ['before?.nodes === now.nodes && before.services === now.services', 'false'],
        ['!isSame || restoredAgoMs !== undefined', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is not known is no long time',
      changes: [
        ['restoredAgoMs !== undefined', 'true'],
        ['mutedUntilWallMs !== undefined', 'true'],
        ['restoredMs === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'after an hour nothing is left of what nobody watches',
      changes: [
        ['isLate', 'false'],
        ['{ restoredMs = undefined }', '{}'],
      ],
    },
    {
      kind: 'equal',
      reason: 'nobody has polls of a node that there is not',
      changes: [
        ["subject.kind === 'node'", 'true'],
        ['[]', '["Stryker was here"]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only spares work: under the same windows the same alarms are covered',
      changes: [
        ['open.length === windows.length && open.every((one, at) => one === windows[at])', 'false'],
        ['one === windows[at]', 'false'],
        ['(one, at) => one === windows[at]', '() => undefined'],
      ],
    },
  ],
  'alarm-state.ts': [
    { kind: 'unseen', reason: 'alarms are stored once more for nothing', changes: [["'view'", '""']] },
    { kind: 'unseen', reason: 'undefined is as absent', changes: [['by !== undefined', 'true']] },
    {
      kind: 'equal',
      reason: 'what is not shelved does not end to be',
      changes: [['one.shelved !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is released was explained',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'alarm-store.ts': [
    {
      kind: 'equal',
      reason:
        'keys of one database: only whether they differ counts, and each is written and read by its own',
      changes: [
        ["['alarms']", '[]'],
        ["['alarm-points']", '[]'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'one value more or less of half a million',
      changes: [['count > POINTS_KEPT_MAX', 'count >= POINTS_KEPT_MAX']],
    },
    { kind: 'equal', reason: 'a text is no entry', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'equal',
      reason: 'what is no number is not finite',
      changes: [["typeof value === 'number'", 'true']],
    },
    {
      kind: 'equal',
      reason:
        'keys of one database: only whether they differ counts, and each is written and read by its own',
      changes: [
        ["'alarms'", '""'],
        ["'alarm-points'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each range that is read has a list',
      changes: [
        ['rows?.[0]?.[0]', 'rows?.[0][0]'],
        ['rows?.[1]?.[0]', 'rows?.[1][0]'],
      ],
    },
    { kind: 'unseen', reason: 'undefined is as absent', changes: [["typeof before === 'string'", 'true']] },
    {
      kind: 'equal',
      reason: 'what is no text is not written like a kind',
      changes: [["typeof value === 'string'", 'true']],
    },
  ],
  'alert-queue.ts': [
    {
      kind: 'equal',
      reason: 'once it is over nothing is sent, saved or told any more',
      changes: [['isOver', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'only spares a write: what is merely told again is as it was kept',
      changes: [['batch.some(([, { isNews }]) => isNews)', 'true']],
    },
    {
      kind: 'equal',
      reason: 'no two labels have one name, and either order is one',
      changes: [
        ['a < b', 'a <= b'],
        ['a < b', 'a >= b'],
      ],
    },
    {
      kind: 'equal',
      reason: 'where it changed, the map that is given up is written to',
      changes: [['!isChanged', 'true']],
    },
  ],
  'alertmanager-payload.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each row has one of the severities',
      changes: [["'info'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: no family is without an alarm',
      changes: [
        ["'A family without an alarm.'", '""'],
        ['worst === undefined', 'false'],
      ],
    },
    { kind: 'equal', reason: 'no alarm is called so', changes: [["''", '"Stryker was here!"']] },
  ],
  'announcements.ts': [
    {
      kind: 'unseen',
      reason: 'only spares an object: nothing new and nothing over is nothing',
      changes: [['raised.length + over.length === 0', 'false']],
    },
  ],
  'built-in-rules.ts': [
    {
      kind: 'equal',
      reason: 'what is unknown has no value to compare',
      changes: [
        ["check.state === 'unknown'", 'false'],
        ["'unknown'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'without a reading nothing was checked',
      changes: [['reading === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: metrics of these rules have limits',
      changes: [['metric.limits?.(settings)', 'metric.limits(settings)']],
    },
    {
      kind: 'equal',
      reason: 'in an answer no word is unknown or not checked',
      changes: [
        ["state === 'unknown'", 'false'],
        ["'unknown'", '""'],
        ["state === 'not-checked'", 'false'],
        ["'not-checked'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only what has the scope of the screen is not severe',
      changes: [
        ["severity === 'none'", 'false'],
        ["'none'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'each refusal has a severity',
      changes: [
        ["severity !== 'none'", 'true'],
        ["'none'", '""'],
      ],
    },
  ],
  'channels.ts': [
    {
      kind: 'equal',
      reason: 'nothing is as severe as what stands before the first',
      changes: [
        ["level !== 'off'", 'true'],
        ["'off'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not finite',
      changes: [["typeof everyMs === 'number'", 'true']],
    },
  ],
  'conditions.ts': [
    {
      kind: 'unseen',
      reason: 'compared to its last digit a decimal is what it is as a number, but for a hair',
      changes: [['metric.exact === true', 'true']],
    },
    {
      kind: 'equal',
      reason: 'one of the two texts is that of the limit',
      changes: [['limit.text === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'only what was added since the first point counts',
      changes: [['points.length === 0', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'one point more or less, which lies at the edge of what can be told apart',
      changes: [
        ['awakeMs - earlier[0] < windowMs / POINTS_MAX', 'awakeMs - earlier[0] <= windowMs / POINTS_MAX'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: there are no other keys',
      changes: [['Object.keys(KINDS_OF) .filter(isTest)', 'Object.keys(KINDS_OF)']],
    },
    { kind: 'equal', reason: 'one of two: what is not below is above', changes: [["'above'", '""']] },
    {
      kind: 'equal',
      reason: 'what one condition remembers is of one kind',
      changes: [
        ["memory?.kind === 'last'", 'true'],
        ["memory?.kind === 'points'", 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: both texts are there where the limit has one',
      changes: [
        ['lowText === undefined || highText === undefined', 'false'],
        [
          'lowText === undefined || highText === undefined || limit.text === undefined',
          '(lowText === undefined || highText === undefined) && limit.text === undefined',
        ],
        ['lowText === undefined', 'false'],
        [
          'lowText === undefined || highText === undefined',
          'lowText === undefined && highText === undefined',
        ],
        ['highText === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'decimals that are a hair off lie on neither side of it exactly',
      changes: [
        [
          'high - low >= Number(deadband) - 1e-9',
          '// Differences of decimals are a hair off. high - low > Number(deadband) - 1e-9',
        ],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: there is a last point',
      changes: [
        ['points.at(-1)?.[0]', 'points.at(-1)[0]'],
        ['first === undefined || last === undefined', 'false'],
        ['first === undefined || last === undefined', 'first === undefined && last === undefined'],
        ['first === undefined', 'false'],
        ['last === undefined', 'false'],
      ],
    },
  ],
  'delivery.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: other failures name no time',
      changes: [["failure.kind === 'status'", 'true']],
    },
  ],
  'flapping.ts': [
    {
      kind: 'equal',
      reason: 'no weights of changes add up to 5 %',
      changes: [['percent > FLAPPING_UNTIL_PERCENT', 'percent >= FLAPPING_UNTIL_PERCENT']],
    },
  ],
  'inhibit.ts': [
    {
      kind: 'equal',
      reason: 'of two of the screen neither explains the other, and one of the screen has no service',
      changes: [
        ["'serviceId' in subject && 'serviceId' in small.subject", 'true'],
        [
          "'serviceId' in subject && 'serviceId' in small.subject",
          "'serviceId' in subject || 'serviceId' in small.subject",
        ],
      ],
    },
    {
      kind: 'equal',
      reason: 'what explains an alarm has a higher rank than that, so that it has one',
      changes: [
        ['rankOf(one) > 0', 'true'],
        ['rankOf(one) > 0', 'rankOf(one) >= 0'],
      ],
    },
    {
      kind: 'equal',
      reason: 'no node is called so: only nodes are looked up',
      changes: [["one.subject.kind === 'node'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what recovers was good since a moment',
      changes: [['goodSinceWallMs !== undefined', 'true']],
    },
    { kind: 'equal', reason: 'of no node none fails', changes: [['blind.size === 0', 'false']] },
  ],
  'journal-entry.ts': [
    {
      kind: 'unseen',
      reason: 'undefined is as absent',
      changes: [
        ['note !== undefined', 'true'],
        ['inhibitedBy !== undefined', 'true'],
        ['value.before !== undefined', 'true'],
      ],
    },
  ],
  'maintenance.ts': [
    {
      kind: 'equal',
      reason: 'what is no node’s has no node',
      changes: [["subject.kind === 'node'", 'true']],
    },
  ],
  'message-queue.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: only an answer has a status',
      changes: [["sent.error.kind !== 'status'", 'false']],
    },
    {
      kind: 'equal',
      reason: 'once it is over nothing is saved or sent any more',
      changes: [
        ['isOver', 'false'],
        ['true', 'false'],
      ],
    },
    { kind: 'equal', reason: 'what is none is none', changes: [['lost > 0', 'lost >= 0']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: only a number is an integer',
      changes: [["typeof lost === 'number'", 'true']],
    },
  ],
  'metric-values.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: without a reading there is no raw value',
      changes: [['reading === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'the other condition asks for the kind too',
      changes: [["metric.kind === 'gauge'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a number that is read has a text',
      changes: [['shownValue(metric, exact, settings)?.text', 'shownValue(metric, exact, settings).text']],
    },
    {
      kind: 'equal',
      reason: 'the next case does the same',
      changes: [["case 'gauge': return usable(fieldOf(metric, answer))?.text", "case 'gauge':"]],
    },
    {
      kind: 'unseen',
      reason: 'no rule goes by the text of a timestamp',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'node-rules.ts': [
    {
      kind: 'equal',
      reason: 'what is not bad is as mild as can be',
      changes: [["evaluation.state === 'bad'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'nothing began after what has no beginning',
      changes: [['sinceMs === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'what has no node is not looked at',
      changes: [["subject.kind !== 'node'", 'false']],
    },
    {
      kind: 'equal',
      reason: 'without a node there is no episode',
      changes: [['node === undefined', 'false']],
    },
  ],
  'notifier.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: one alarm has a row',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason:
        'what is undefined was never: a difference to it is no number, and no number has waited long enough',
      changes: [['sinceMs !== undefined', 'true']],
    },
  ],
  'rows.ts': [
    {
      kind: 'unseen',
      reason: 'what is normal and awaits nobody is not shown',
      changes: [["'cleared'", '""']],
    },
    { kind: 'equal', reason: 'one is in order', changes: [['members.length === 1', 'false']] },
    {
      kind: 'equal',
      reason: 'of the same moment either says the same',
      changes: [
        ['b.sinceWallMs < a.sinceWallMs', 'b.sinceWallMs <= a.sinceWallMs'],
        ['b.evaluatedAwakeMs > a.evaluatedAwakeMs', 'b.evaluatedAwakeMs >= a.evaluatedAwakeMs'],
        ['acknowledged.wallMs > found.wallMs', 'acknowledged.wallMs >= found.wallMs'],
        ['atMs < oldest', 'atMs <= oldest'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only nodes are members of many',
      changes: [
        ["one.subject.kind === 'node'", 'true'],
        ['[]', '["Stryker was here"]'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: no row is without members',
      changes: [
        [
          'Array.from(rowsOf(instances, context), ([id, members]) => viewOf(id, members, context)) .filter((row) => row !== undefined)',
          'Array.from(rowsOf(instances, context), ([id, members]) => viewOf(id, members, context))',
        ],
        ['row !== undefined', 'true'],
      ],
    },
  ],
  'shared-rules.ts': [
    {
      kind: 'unseen',
      reason: 'the nodes of what is well are not noted',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: only a node’s subject names one',
      changes: [["subject.kind === 'node'", 'true']],
    },
  ],
  'silence-queue.ts': [
    {
      kind: 'unseen',
      reason: 'what was made is written a moment later',
      changes: [['(): Promise<void> => saved', '() => undefined']],
    },
    {
      kind: 'equal',
      reason: 'other failures have neither status nor words',
      changes: [["failure.kind === 'status'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'only spares a look: what is held already is not asked for again',
      changes: [
        ['before?.size === now.size && Array.from(now.keys()).every((key) => before.has(key))', 'false'],
        ['(key) => before.has(key)', '() => undefined'],
        ['isSame', 'false'],
      ],
    },
  ],
  'sound-plan.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what was never muted is no time',
      changes: [['view.mutedUntilWallMs !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'causes only tell each other apart',
      changes: [["'screen'", '""']],
    },
    { kind: 'equal', reason: 'no cause is called so', changes: [['[]', '["Stryker was here"]']] },
  ],
  'statistics.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: an episode that is open is in the list',
      changes: [
        ['place === undefined', 'false'],
        ['place !== undefined && episode !== undefined', 'place !== undefined || episode !== undefined'],
        ['place !== undefined', 'true'],
        ['episode !== undefined', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'of the same length either is the longest',
      changes: [['lastedMs > longest.lastedMs', 'lastedMs >= longest.lastedMs']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what names its alarm has facts',
      changes: [
        ["entry.facts?.['inhibitedBy']", "entry.facts['inhibitedBy']"],
        ["facts?.['severity']", "facts['severity']"],
      ],
    },
  ],
  'try-rule.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: history has a series of each metric',
      changes: [
        ["seriesIn(data, 'ticks', id)?.atMs", "seriesIn(data, 'ticks', id).atMs"],
        ['[]', '["Stryker was here"]'],
        ["seriesIn(data, 'bars', id)?.bars", "seriesIn(data, 'bars', id).bars"],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: without a metric no node is tried',
      changes: [['trial === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'nobody is told the names of an alarm that is only tried',
      changes: [['{ id: rule.id, ruleId: rule.id, kind, subject }', '{}']],
    },
    {
      kind: 'equal',
      reason: 'what is no number is shown as it is',
      changes: [["metric.kind === 'gauge'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'a proof is only compared by its text',
      changes: [
        ["metric.kind === 'fingerprint'", 'false'],
        ["'fingerprint'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'only counters and proofs go on from what was counted',
      changes: [['() => 0', '() => undefined']],
    },
    {
      kind: 'equal',
      reason: 'beyond the last bar there is nothing to add',
      changes: [['count < bars.length', 'count <= bars.length']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: within its length there is a bar',
      changes: [
        ['bars[count]?.fromMs', 'bars[count].fromMs'],
        ['bars[count]?.increase', 'bars[count].increase'],
      ],
    },
    { kind: 'equal', reason: 'later bars begin later', changes: [['count > 0', 'false']] },
  ],
  'watched-fleet.ts': [
    {
      kind: 'equal',
      reason: 'only whether it is one of the two others is asked',
      changes: [["'unknown'", '""']],
    },
    {
      kind: 'equal',
      reason: 'of a node without another poll nothing is told in any case',
      changes: [
        ['before?.nodes === now.nodes', 'false'],
        [
          'Array.from(now.nodes.values()) .filter((node) => before?.nodes.get(node.key) !== node)',
          'Array.from(now.nodes.values())',
        ],
        ['before?.nodes.get(node.key) !== node', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'while a key is awaited nobody asks how long nodes are silent, and its coming sets that anew',
      changes: [
        ["key !== 'awaited'", 'true'],
        ["'awaited'", '""'],
      ],
    },
  ],
}
