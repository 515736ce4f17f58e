import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_EVALUATE: FolderReasons = {
  'assess.ts': [
    {
      kind: 'equal',
      reason: 'of two stages of one moment the last counts',
      changes: [
        ['worseMs > afterMs', 'worseMs >= afterMs'],
        ['ms < staleMs', 'ms <= staleMs'],
      ],
    },
    {
      kind: 'equal',
      reason: 'without a reading the other of the two says never',
      changes: [
        ["'never'", '""'],
        ['reading === undefined', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: these metrics are checked',
      changes: [
        ['one.check?.order', 'one.check.order'],
        ['other.check?.order', 'other.check.order'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what an alarm adds has that reason in either case',
      changes: [
        ["'ok'", '""'],
        ["'alarm'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each alarm has one of these severities',
      changes: [['state === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'what is no change happens at no moment',
      changes: [['[]', '["Stryker was here"]']],
    },
    { kind: 'unseen', reason: 'undefined is as absent', changes: [['value !== undefined', 'true']] },
    {
      kind: 'equal',
      reason: 'the next case does the same',
      changes: [["case 'state': return asText(usable(fieldOf(metric, reading)))", "case 'state':"]],
    },
    {
      kind: 'equal',
      reason: 'without an episode nobody asks',
      changes: [
        ["'none'", '""'],
        ['episode === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is a node’s alone has a severity',
      changes: [
        ["severity !== 'none'", 'true'],
        ["'none'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'of two that are the same either is',
      changes: [
        [
          'WORST_FIRST.indexOf(one) <= WORST_FIRST.indexOf(other)',
          'WORST_FIRST.indexOf(one) < WORST_FIRST.indexOf(other)',
        ],
      ],
    },
  ],
  'blame.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what was never answered is no moment',
      changes: [['answeredMs !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: only this failure has such a problem',
      changes: [["failure.kind === 'not-json'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: other failures have no hop',
      changes: [
        ["failing !== undefined && 'hop' in failing.failure", 'true'],
        [
          "failing !== undefined && 'hop' in failing.failure",
          "failing !== undefined || 'hop' in failing.failure",
        ],
        ['failing !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a hop that is the service’s stays so',
      changes: [
        ["'hop' in failure && failure.hop === 'proxy'", "'hop' in failure || failure.hop === 'proxy'"],
        ["failure.hop === 'proxy'", 'true'],
      ],
    },
  ],
  'causes.ts': [
    {
      kind: 'equal',
      reason: 'what is not in the list comes first, as it did',
      changes: [
        ["'critical'", '""'],
        ["'screen'", '""'],
      ],
    },
  ],
  'clock-causes.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each service has a list of nodes',
      changes: [['[]', '["Stryker was here"]']],
    },
    { kind: 'equal', reason: 'of none there is none to tell', changes: [['apart.length === 0', 'false']] },
    {
      kind: 'equal',
      reason: 'one alone is compared with nothing, and told in the same words',
      changes: [['watched.length === 1', 'false']],
    },
    {
      kind: 'equal',
      reason: 'a text has no range, and one alone is no common cause',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'all that meet what most allow allow it: so they have it in common',
      changes: [['lowMs > highMs', 'false']],
    },
  ],
  'cross-check.ts': [
    {
      kind: 'equal',
      reason: 'a list without them says as much',
      changes: [['[undefined, undefined]', '[]']],
    },
    {
      kind: 'equal',
      reason: 'words have no number',
      changes: [
        ["kind === 'state'", 'false'],
        ["'state'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is no number is not near',
      changes: [
        ['a.value === undefined', 'false'],
        ['b.value === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'of the same moment either says the same',
      changes: [
        ['since[0].sinceMs >= since[1].sinceMs', 'since[0].sinceMs > since[1].sinceMs'],
        ['readings[0].startedMs >= readings[1].startedMs', 'readings[0].startedMs > readings[1].startedMs'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'a millionth of a millionth',
      changes: [
        ['Math.max(Math.abs(a.value), Math.abs(b.value))', 'Math.min(Math.abs(a.value), Math.abs(b.value))'],
      ],
    },
  ],
  'data-causes.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each service has a list of nodes',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'what was never answered is not current',
      changes: [['node.reading === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a value that means nothing was read',
      changes: [['text === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'only amounts are out of a unit',
      changes: [["metric.kind === 'gauge'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a number that is out of its unit was read',
      changes: [['usable(fieldOf(metric, reading))?.text', 'usable(fieldOf(metric, reading)).text']],
    },
    { kind: 'unseen', reason: 'only tells groups apart', changes: [["''", '"Stryker was here!"']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: what differs has a first node',
      changes: [['nodes[0]?.key', 'nodes[0].key']],
    },
  ],
  'failure-causes.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each service has a list of nodes',
      changes: [['[]', '["Stryker was here"]']],
    },
    { kind: 'equal', reason: 'what is no cause is of no service', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: only this failure has such a reason',
      changes: [["failure.kind === 'signer-failed'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: the causes here are failures',
      changes: [
        ["evidence.kind !== 'failure'", 'false'],
        ["cause.evidence.kind === 'failure'", 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: these nodes have an episode',
      changes: [
        ['node.episode?.failure', 'node.episode.failure'],
        ['affected.filter(isFailing)', 'affected'],
      ],
    },
    {
      kind: 'equal',
      reason:
        'a cause of the whole service comes before those of its nodes, and only such a one says anything of the others',
      changes: [['own.find(isWhole) ?? own[0]', 'own.find(isWhole) && own[0]']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each of these causes is a failure of a service that is there',
      changes: [
        ['serviceId === undefined', 'false'],
        ["live === undefined || evidence.kind !== 'failure'", 'false'],
        [
          "live === undefined || evidence.kind !== 'failure'",
          "live === undefined && evidence.kind !== 'failure'",
        ],
        ['live === undefined', 'false'],
        ["evidence.kind !== 'failure'", 'false'],
        ['!hasFailing(own)', 'false'],
        ['evidence.failing !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'no answer is before every other',
      changes: [['answers.length === 0', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: two causes have a first',
      changes: [['first === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'of the same moment either says the same',
      changes: [['b.episode.sinceMs < a.episode.sinceMs', 'b.episode.sinceMs <= a.episode.sinceMs']],
    },
    {
      kind: 'equal',
      reason: 'only spares a comparison: the same object has the same facts',
      changes: [['episode.failure === failure', 'false']],
    },
  ],
}
