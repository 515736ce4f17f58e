import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const NODE_REFERENCE: FolderReasons = {
  'arguments.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what reading flags throws is an error',
      changes: [["'Unreadable flags'", '""']],
    },
  ],
  'authenticate.ts': [
    {
      kind: 'equal',
      reason: 'no number is more than one that is not there',
      changes: [['entry.notAfterMs !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'what is none of the problems is none',
      changes: [["'fresh'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each header has a list of values, and by then each list has one',
      changes: [
        ['values[0]?.length', 'values[0].length'],
        ["''", '"Stryker was here!"'],
      ],
    },
  ],
  'control.ts': [
    {
      kind: 'unseen',
      reason:
        'for the compiler: a request that came in has a method and an address, and its body comes in bytes',
      changes: [
        ["'/'", '""'],
        ["'GET'", '""'],
        ['!(part instanceof Uint8Array)', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'neither is a host of this address, a token in its form, nor a number',
      changes: [
        ['[]', '["Stryker was here"]'],
        ["''", '"Stryker was here!"'],
      ],
    },
  ],
  'core.ts': [
    {
      kind: 'unseen',
      reason: 'before it listens nobody can ask',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason:
        'a timer that keeps no process, and keys that are computed for nobody: they end with the process',
      changes: [['{ keys.close() directory.close() }', '{}']],
    },
  ],
  'cors.ts': [
    {
      kind: 'equal',
      reason: 'for the compiler: what is not there is none of the origins',
      changes: [['origin === undefined', 'false']],
    },
  ],
  'deliver.ts': [
    {
      kind: 'equal',
      reason: 'Node keeps what is sent to a client that has left',
      changes: [['response.destroyed', 'false']],
    },
  ],
  'directory.ts': [
    {
      kind: 'equal',
      reason: 'what is not there is as false',
      changes: [['{ filling: false, closed: false }', '{}']],
    },
    {
      kind: 'unseen',
      reason: 'one key more of fifty between two turns',
      changes: [['i < SLICE', 'i <= SLICE']],
    },
    {
      kind: 'unseen',
      reason: 'only spares deriving a key again: it is the same key, and how many are kept takes memory only',
      changes: ['kept.size > KEYS_KEPT_MAX'],
    },
  ],
  'fault-state.ts': [
    {
      kind: 'equal',
      reason: 'no fault is of no node',
      changes: [['node === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'no draw is that very number',
      changes: [
        ['draw(seed, 30, roll, 0) >= Number(fault.value)', 'draw(seed, 30, roll, 0) > Number(fault.value)'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a draw below 1 picks one of the list, and what matched has a name',
      changes: [
        ["['reset', undefined]", '[]'],
        ["'reset'", '""'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'only so that nothing is remembered of a node without faults',
      changes: [['byName.size === 0', 'false']],
    },
  ],
  'fault.ts': [
    { kind: 'equal', reason: 'undefined is as absent', changes: [['value !== undefined', 'true']] },
  ],
  'faults.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each name of the table is one',
      changes: [['Array.from(SPECS.keys()).filter(isFaultName)', 'Array.from(SPECS.keys())']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each name has a fault',
      changes: [
        ['spec === undefined', 'false'],
        ['`no fault ${name}`', '``'],
      ],
    },
  ],
  'http-handler.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a request that came in has a method and an address',
      changes: [
        ["'/'", '""'],
        ["'GET'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'Node puts no date where there is one',
      changes: [['false', 'true']],
    },
  ],
  'key-file.ts': [
    {
      kind: 'equal',
      reason: 'neither has 64 digits',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'the first of them is left over either way: no key, or a text without a number and a unit',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason: 'a file that is left open until the process ends',
      changes: [['{ closeSync(handle) }', '{}']],
    },
    {
      kind: 'unseen',
      reason: 'it has the rights of the one before by the time that something is in it',
      changes: [['before === undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what reading a file throws is an error with a code',
      changes: [
        ["error instanceof Error && 'code' in error", 'true'],
        ["error instanceof Error && 'code' in error", "error instanceof Error || 'code' in error"],
      ],
    },
  ],
  'key-ring.ts': [
    {
      kind: 'equal',
      reason: 'without a file nothing is read',
      changes: [['file === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'neither is the state of a file, of which is asked only whether it differs',
      changes: [
        ["''", '"Stryker was here!"'],
        ["' '", '""'],
        ["{ return 'none' }", '{}'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what gives nothing gives undefined',
      changes: [['{ return undefined // not there, or not ours to read: the caller says so }', '{}']],
    },
  ],
  'listener.ts': [
    {
      kind: 'unseen',
      reason:
        'Node listens to the errors of all connections but tunnels, and each of those ends before one comes',
      changes: [["'error'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'only so that nothing is remembered of a connection that has ended',
      changes: [
        ["'close'", '""'],
        ['() => sockets.delete(socket)', '() => undefined'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a server that listens on a port has one',
      changes: [
        ["address === null || typeof address === 'string'", 'false'],
        [
          "address === null || typeof address === 'string'",
          "address === null && typeof address === 'string'",
        ],
        ['address === null', 'false'],
        ["typeof address === 'string'", 'false'],
        ["'string'", '""'],
        ["'not listening on a port'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'on a connection that is gone nothing is said, and it ends either way',
      changes: [
        ["!socket.writable || error.code === 'ECONNRESET'", 'false'],
        [
          "!socket.writable || error.code === 'ECONNRESET'",
          "!socket.writable && error.code === 'ECONNRESET'",
        ],
        ["error.code === 'ECONNRESET'", 'false'],
        ["'ECONNRESET'", '""'],
        ['{ socket.destroy() return }', '{}'],
      ],
    },
    {
      kind: 'equal',
      reason: 'neither listens nor is down',
      changes: [
        ["'new'", '""'],
        ["'closed'", '""'],
      ],
    },
  ],
  'network.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a remainder picks one of the list',
      changes: [["'node'", '""']],
    },
    {
      kind: 'equal',
      reason: 'the beat that is taken in the end, missed or not',
      changes: [['number > slot - 3', 'number >= slot - 3']],
    },
    {
      kind: 'equal',
      reason: 'no draw is that very number, and a stake moves between two seconds',
      changes: [
        [
          'draw(seed, index, 6, number) >= HEARTBEAT_MISSED',
          'draw(seed, index, 6, number) > HEARTBEAT_MISSED',
        ],
        ['atS >= movesAtS', 'atS > movesAtS'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only spares work: within a second nothing is added, and of none there is none',
      changes: [
        ['spanS > 1', 'spanS >= 1'],
        ['inSpan > 0', 'true'],
        ['inSpan > 0', 'inSpan >= 0'],
      ],
    },
  ],
  'payload-faults.ts': [
    {
      kind: 'equal',
      reason: 'an empty part adds nothing',
      changes: [['left > 0', 'left >= 0']],
    },
    {
      kind: 'equal',
      reason: 'no draw is that very number',
      changes: [
        ['kind < 0.35', 'kind <= 0.35'],
        ['kind < 0.7', 'kind <= 0.7'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a draw below 1 picks one of the list',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'profile-check.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: each header is there once by then, and a signature was sent',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'no number is more or less than one that is not there',
      changes: [
        ['timeS === undefined', 'false'],
        ['entry.notAfterMs !== undefined', 'true'],
      ],
    },
  ],
  'profile-file.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what is refused has a problem',
      changes: [
        ['first?.path', 'first.path'],
        ['first?.message', 'first.message'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what gives nothing gives undefined, and bytes that are read as JSON are read as UTF-8',
      changes: [
        ["'utf8'", '""'],
        [
          '{ return undefined // not there, not ours to read, or not JSON: the caller says what is wanted }',
          '{}',
        ],
      ],
    },
  ],
  'profile-match.ts': [
    {
      kind: 'unseen',
      reason:
        'for the compiler: a piece has a text or a name, a name has a first part, and a match its groups',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'a time has no form of this name, so its shape is unknown either way',
      changes: [
        ["name !== 'ts.window'", 'true'],
        ["'ts.window'", '""'],
      ],
    },
  ],
  'profile-messages.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: headers, pieces, groups and fields that a profile needs are there by then',
      changes: [
        ["''", '"Stryker was here!"'],
        ['inner[1]?.length', 'inner[1].length'],
        ['headers.get(component)?.trim', 'headers.get(component).trim'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: {jwt}, {sigInput} and {sigHeader} stand in profiles of their own kind only',
      changes: [
        ["inner[2] === 'jwt' && message.kind === 'jwt'", "inner[2] === 'jwt' || message.kind === 'jwt'"],
        ["inner[2] === 'jwt'", 'true'],
        ["message.kind === 'jwt'", 'true'],
        ["message.kind === 'rfc9421'", 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'OpenSSL takes the name of a hash with its hyphen, too',
      changes: [["'-'", '""']],
    },
    {
      kind: 'equal',
      reason: 'for the compiler: a part that is not there is no signature of 64 bytes',
      changes: [
        ['head === undefined || body === undefined || signature === undefined', 'false'],
        [
          'head === undefined || body === undefined || signature === undefined',
          '(head === undefined || body === undefined) && signature === undefined',
        ],
        ['head === undefined || body === undefined', 'false'],
        ['head === undefined || body === undefined', 'head === undefined && body === undefined'],
        ['head === undefined', 'false'],
        ['body === undefined', 'false'],
        ['signature === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'whatever is claimed after a contradiction is nothing, too',
      changes: [['claimed === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'null has no members, which throws; nothing is given then',
      changes: [
        ['value !== null', 'true'],
        ['{ return undefined // not JSON: whoever sent it did not follow the profile }', '{}'],
      ],
    },
    {
      kind: 'equal',
      reason: 'the first match begins at the start',
      changes: [['/^([^;]*)/', '/([^;]*)/']],
    },
    {
      kind: 'unseen',
      reason: 'a profile has no component with anything before or after',
      changes: [
        ['/^@query-param;name="([^"]*)"$/', '/@query-param;name="([^"]*)"$/'],
        ['/^@query-param;name="([^"]*)"$/', '/^@query-param;name="([^"]*)"/'],
      ],
    },
  ],
  'profile-values.ts': [
    {
      kind: 'equal',
      reason: 'an origin has its scheme at its start and nowhere else',
      changes: [['/^https?:\\/\\//', '/https?:\\/\\//']],
    },
    {
      kind: 'equal',
      reason: 'neither is an encoding',
      changes: [
        ["''", '"Stryker was here!"'],
        ['default: return undefined', 'default:'],
      ],
    },
    {
      kind: 'equal',
      reason: 'base64 has its padding at the end only',
      changes: [['/=+$/', '/=+/']],
    },
    {
      kind: 'equal',
      reason: 'what was read otherwise is not written as that text again, and refused for it',
      changes: [
        ['/^0x/', '/0x/'],
        ['at === -1', 'false'],
        ['hex.length === length * 2', 'true'],
      ],
    },
  ],
  'random.ts': [
    {
      kind: 'equal',
      reason: 'no draw is that very number',
      changes: [['draw(seed, ...path, trial) < probability', 'draw(seed, ...path, trial) <= probability']],
    },
  ],
  'service.ts': [
    {
      kind: 'unseen',
      reason:
        'for the compiler: a service has an address, what is thrown is an error, and nobody asks this clock for it',
      changes: [
        ["''", '"Stryker was here!"'],
        ["'unknown error'", '""'],
        ['() => performance.now()', '() => undefined'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'no fault is late by more than a day, and to who has left nothing is sent',
      changes: [
        ['2 ** 31 - 1', '2 ** 31 + 1'],
        ['() => clearTimeout(timer)', '() => undefined'],
      ],
    },
  ],
  'stats.ts': [
    {
      kind: 'unseen',
      reason: 'what is about no node is told of none',
      changes: [['node === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'only so that no more are remembered than are told',
      changes: [
        'recent.length > 2 * RECENT_MAX',
        ['2 * RECENT_MAX', '2 / RECENT_MAX'],
        ['-RECENT_MAX', '+RECENT_MAX'],
        ['now > 0', 'true'],
        ['now > 0', 'now >= 0'],
      ],
    },
  ],
  'strict-verify.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a text that is split has a first part',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'what gives nothing gives undefined',
      changes: [['{ return undefined // decodeURIComponent throws for a broken escape }', '{}']],
    },
    {
      kind: 'unseen',
      reason: 'only spares looking at each entry more than once a second',
      changes: [['sweptS === now', 'false']],
    },
  ],
  'token-check.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where there is one value there is a first',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'only spares reading a large file, which holds no token',
      changes: [['statSync(file).size > TOKEN_CHARS_MAX + 2', 'false']],
    },
    {
      kind: 'equal',
      reason: 'what gives nothing gives undefined',
      changes: [
        ['{ return undefined // not there or not ours to read: the caller says what is wanted }', '{}'],
      ],
    },
  ],
}
