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
      kind: 'missing',
      reason: '10,001 keys take seconds to check',
      changes: [
        ['entries.size >= KEYS_MAX', 'entries.size > KEYS_MAX'],
        ['entries.size >= KEYS_MAX', 'false'],
        ['{ line: index + 1, problem: `more than ${KEYS_MAX} keys` }', '{}'],
        ['index + 1', 'index - 1'],
        ['`more than ${KEYS_MAX} keys`', '``'],
      ],
    },
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
      kind: 'equal',
      reason: 'an option ends with its second quote',
      changes: [['/^"(.*)"$/', '/^"(.*)"/']],
    },
    {
      kind: 'unseen',
      reason: 'a file that is left open until the process ends',
      changes: [['{ closeSync(handle) }', '{}']],
    },
    {
      kind: 'missing',
      reason: 'a test can’t change what rights new files of its process have',
      changes: [['{ return 0o644 // a new file; it holds public keys only }', '{}']],
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
      kind: 'unseen',
      reason: 'no client’s token fits behind a brace or another placeholder either way',
      changes: [['/^([^{}]*)\\{(jwt|sigInput|sigHeader)\\}$/', '/([^{}]*)\\{(jwt|sigInput|sigHeader)\\}$/']],
    },
    {
      kind: 'equal',
      reason: 'what follows is then read as part of the value, which has no such part',
      changes: [['/^([^{}]*)\\{(jwt|sigInput|sigHeader)\\}$/', '/^([^{}]*)\\{(jwt|sigInput|sigHeader)\\}/']],
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
}
