import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_MONITOR: FolderReasons = {
  'backoff.ts': [
    {
      kind: 'equal',
      reason: 'what is named by no case ends as undefined as well',
      changes: [
        ["case 'wait': return undefined", "case 'wait':"],
        ["'wait'", '""'],
      ],
    },
  ],
  'configure.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: there is no service of no address',
      changes: [['baseUrl === undefined', 'false']],
    },
    { kind: 'equal', reason: 'a text is no rule, and no time', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'equal',
      reason: 'of free places only as many are taken as nodes are new',
      changes: [['wanted.size - fleet.nodes.size', 'wanted.size + fleet.nodes.size']],
    },
  ],
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
  'due-queue.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: both places are taken',
      changes: [
        ['first === undefined || second === undefined', 'false'],
        ['first === undefined || second === undefined', 'first === undefined && second === undefined'],
        ['first === undefined', 'false'],
        ['second === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'the first place has none above it',
      changes: [['place > 0', 'place >= 0']],
    },
    {
      kind: 'equal',
      reason: 'of those that are due together any comes first',
      changes: [
        ['dueAt(parent) <= dueAt(place)', 'dueAt(parent) < dueAt(place)'],
        ['dueAt(left + 1) < dueAt(left)', 'dueAt(left + 1) <= dueAt(left)'],
      ],
    },
  ],
  'find-profile.ts': [
    {
      kind: 'equal',
      reason: 'what is no outcome was not sent and not withheld: failed as well',
      changes: [
        ["outcome === 'time-not-allowed'", 'false'],
        ["'time-not-allowed'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what was not sent has no reply',
      changes: [["outcome.kind === 'sent'", 'true']],
    },
    {
      kind: 'unseen',
      reason: 'what can’t be reached directly gave no reply',
      changes: [['outcome.reply === undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: nobody ends a try, and only one reason is a key of a chain',
      changes: [
        ["outcome.kind === 'not-sent' && outcome.failure.kind === 'signer-failed'", 'true'],
        [
          "outcome.kind === 'not-sent' && outcome.failure.kind === 'signer-failed'",
          "outcome.kind === 'not-sent' || outcome.failure.kind === 'signer-failed'",
        ],
        ["outcome.kind === 'not-sent'", 'true'],
        ["outcome.failure.kind === 'signer-failed'", 'true'],
      ],
    },
  ],
  'kept-readings.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: who has a last body has a reading, and what has a name a value',
      changes: [
        ['reading === undefined', 'false'],
        ['one?.[time]', 'one[time]'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is no number is not finite',
      changes: [["typeof value === 'number'", 'true']],
    },
  ],
  'limiter.ts': [
    {
      kind: 'equal',
      reason: 'without a pace the next may start at once, now as at the beginning of time',
      changes: [['apartMs === 0', 'false']],
    },
    {
      kind: 'equal',
      reason: 'no two have the same place in the order',
      changes: [['healthy.order < suspect.order', 'healthy.order <= suspect.order']],
    },
  ],
  'monitor.ts': [
    {
      kind: 'unseen',
      reason: 'nothing is asked before it is configured',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'node-state.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what is compared has a text',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what has a name has a value',
      changes: [
        ['one === undefined', 'false'],
        ['[]', '["Stryker was here"]'],
      ],
    },
  ],
  'on-demand.ts': [
    {
      kind: 'equal',
      reason: 'no node has no key',
      changes: [['key === undefined', 'false']],
    },
  ],
  'outcome.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: after a failure there is a run of them',
      changes: [
        ['live.episode === undefined', 'false'],
        ['node.live.episode?.misses', 'node.live.episode.misses'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what answered has a reply',
      changes: [['reply !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: where a failure may name a time, there is one to ask again',
      changes: [['againMs !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'nothing was seen before what is undefined',
      changes: [['offlineSinceMs !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a unit that was detected once stays, or gives way to another',
      changes: [
        ['detected.participation?.unit', 'detected.participation.unit'],
        ["''", '"Stryker was here!"'],
      ],
    },
  ],
  'reinterpret.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a node without a reading is left out before',
      changes: [['reading?.record', 'reading.record']],
    },
  ],
  'reply-clock.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: an answer that tells the time has a Date, and each has a body',
      changes: [
        ["''", '"Stryker was here!"'],
        ['sent.reply?.date', 'sent.reply.date'],
      ],
    },
    { kind: 'equal', reason: 'undefined is no digit', changes: [['age !== undefined', 'true']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is missing is no Date',
      changes: [['date === undefined', 'false']],
    },
  ],
  'round-time.ts': [
    {
      kind: 'equal',
      reason: 'as many requests as places take as long as one answer',
      changes: [['requests <= inFlight', 'requests < inFlight']],
    },
    {
      kind: 'equal',
      reason: 'no quotient is exactly a tenth away from 1',
      changes: [
        ['Math.abs(takesMs / before.takesMs - 1) < SAME', 'Math.abs(takesMs / before.takesMs - 1) <= SAME'],
      ],
    },
  ],
  'rounds.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what was sent and read has a body, and who is in flight a flight',
      changes: [
        ["''", '"Stryker was here!"'],
        ['outcome.reply?.body', 'outcome.reply.body'],
        ['flight === undefined', 'false'],
        ['flight?.abort', 'flight.abort'],
      ],
    },
  ],
  'schedule.ts': [
    {
      kind: 'equal',
      reason: 'one divided by the golden ratio is one more than it: only whole turns are added',
      changes: [['index * GOLDEN_RATIO', 'index / GOLDEN_RATIO']],
    },
  ],
  'service-clock.ts': [
    {
      kind: 'equal',
      reason: 'only spares work: where nothing is told nothing is agreed on',
      changes: [['offsets.length === 0', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what was measured has one before',
      changes: [['before?.offset', 'before.offset']],
    },
  ],
  'time-watch.ts': [
    {
      kind: 'equal',
      reason: 'undefined is not before now',
      changes: [['node.live.nextPollMs !== undefined', 'true']],
    },
  ],
  'run-connection-test.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: without a record there is a failure',
      changes: [['failure !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'no header is called undefined, and each service has a profile that there is',
      changes: [
        ['header === undefined', 'false'],
        ['profile?.headers', 'profile.headers'],
      ],
    },
  ],
  'poll.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: without a token nothing is taken out',
      changes: [['token === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is refused was answered',
      changes: [['reply === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'words that say nothing are as none',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'prober.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: after a failure there is a run of them',
      changes: [['live.episode?.misses', 'live.episode.misses']],
    },
  ],
  'probes.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each service has a profile that there is',
      changes: [['profileOf(service)?.headers', 'profileOf(service).headers']],
    },
  ],
  'recovery.ts': [
    {
      kind: 'equal',
      reason: 'there is no place of no node, which is -1',
      changes: [['before === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'those behind it were looked at before',
      changes: [['nodes.slice(0, place + 1)', 'nodes']],
    },
  ],
}
