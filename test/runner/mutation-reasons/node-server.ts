import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

const NO_TEXT = 'an absent header holds none of the words looked for, and neither does this text'

export const NODE_SERVER: FolderReasons = {
  'access.ts': [
    {
      kind: 'equal',
      reason: 'what can’t be read is no list, which is as an empty one',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'what follows says the same, and what is not there is as undefined',
      changes: [
        ["case 'public': return { name: undefined }", "case 'public':"],
        ['{ name: undefined }', '{}'],
      ],
    },
    {
      kind: 'equal',
      reason: 'no text of these is an address, a port, or the name of a cookie',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'whoever does not come from elsewhere is unknown',
      changes: [["'unknown'", '""']],
    },
    {
      kind: 'unseen',
      reason:
        'for the compiler: where there are passwords there are sessions, and without a cookie there is none',
      changes: [
        ['sessions?.find', 'sessions.find'],
        ['cookie === undefined', 'false'],
      ],
    },
  ],
  'access-log.ts': [
    {
      kind: 'unseen',
      reason:
        'for the compiler: a request that came in has an address, and splitting gives one part at least',
      changes: [
        ["''", '"Stryker was here!"'],
        ["url.split('?')[0]?.slice", "url.split('?')[0].slice"],
      ],
    },
    {
      kind: 'equal',
      reason: 'JSON leaves out what is undefined',
      changes: [['user !== undefined', 'true']],
    },
  ],
  'address-guard.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: splitting gives one part at least',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'splitting gives one part at least, and what follows the eighth group is not looked at',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'a zone ends with the address, or what is left is none',
      changes: [['/%.*$/', '/%.*/']],
    },
    {
      kind: 'equal',
      reason: 'Node’s list of addresses takes such a one for what it is itself',
      changes: [["'0 0 0 0 0 65535'", '""']],
    },
    {
      kind: 'equal',
      reason: 'with more before or behind the brackets it is no address in either case',
      changes: [
        ['/^\\[(.*)\\]$/', '/\\[(.*)\\]$/'],
        ['/^\\[(.*)\\]$/', '/^\\[(.*)\\]/'],
      ],
    },
  ],
  'answer-lists.ts': [
    {
      kind: 'equal',
      reason: 'neither text is a content type, or the id of a receiver',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'every problem is the one service’s, and its place begins so',
      changes: [['/^services\\.0/', '/services\\.0/']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a document with one service that was read has one',
      changes: [
        ["[{ path: 'service', message: 'is missing' }]", '[]'],
        ["{ path: 'service', message: 'is missing' }", '{}'],
        ["'service'", '""'],
        ["'is missing'", '""'],
        ['service === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'JSON leaves out what is undefined',
      changes: [['id !== undefined', 'true']],
    },
  ],
  'arguments.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: of one word there is a first, and what reading flags throws is an error',
      changes: [
        ['rest[0] !== undefined', 'true'],
        ["'Unreadable flags'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'for the compiler: what is not there passes each of these tests',
      changes: [
        ['flags.host !== undefined', 'true'],
        ['name !== undefined', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'undefined is as absent',
      changes: [['caFile !== undefined', 'true']],
    },
  ],
  'command.ts': [
    {
      kind: 'equal',
      reason: 'for the compiler: serve has no reference service',
      changes: [
        ["command.kind === 'serve'", 'false'],
        ["'serve'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: where certificates are asked for there is an authority',
      changes: [['serve.tls?.caFile', 'serve.tls.caFile']],
    },
    {
      kind: 'unseen',
      reason: 'nobody signs in while developing, and whoever is asked for a certificate names its authority',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'once a page was sent nothing waits for it, and what went wrong with it is told to nobody',
      changes: [
        ["'close'", '""'],
        ["'the page was not made'", '""'],
      ],
    },
  ],
  'config-file.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: splitting gives one part at least, and what is no JSON throws an error',
      changes: [
        ["''", '"Stryker was here!"'],
        ["'unreadable'", '""'],
      ],
    },
    { kind: 'unseen', reason: 'stamps are compared with each other only', changes: [["' '", '""']] },
    {
      kind: 'unseen',
      reason: 'one character more or less of millions',
      changes: [['chars > DEFAULTS.configCharsMax', 'chars >= DEFAULTS.configCharsMax']],
    },
    {
      kind: 'equal',
      reason: 'the rule of a tag names no service, nor does a text, and one alone is no repetition',
      changes: [
        ["rule.for === 'tag'", 'false'],
        ["'tag'", '""'],
        ['[]', '["Stryker was here"]'],
      ],
    },
  ],
  'connections.ts': [
    {
      kind: 'equal',
      reason: 'a connection has both or neither',
      changes: [['port === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'only so that nothing is remembered of an address that has no connection',
      changes: [
        ['left > 0', 'true'],
        ['left > 0', 'left >= 0'],
      ],
    },
  ],
  'dashboard-server.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a request that came in has an address, and who was let in is no text',
      changes: [
        ["'/'", '""'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a server that listens on a port has one',
      changes: [
        ["typeof address === 'object' && address !== null", 'true'],
        [
          "typeof address === 'object' && address !== null",
          "typeof address === 'object' || address !== null",
        ],
        ["typeof address === 'object'", 'true'],
        ['address !== null', 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a refusal has no name, and what is asked for begins with a slash',
      changes: [
        ["typeof visitor === 'string'", 'false'],
        ["'string'", '""'],
        ['at < 0', 'at <= 0'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler where a server listens on no port, which a port never is',
      changes: [["'failed'", '""']],
    },
    {
      kind: 'equal',
      reason: 'whoever is not asked for a certificate is not refused for it',
      changes: [['files.ca !== undefined', 'true']],
    },
  ],
  'password-file.ts': [
    {
      kind: 'unseen',
      reason: 'the file is read at each use then, and says the same',
      changes: [['now === stamp', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a line that matched has each of its parts',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'a text that is no line has none of the parts',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'base64 has its padding at the end only',
      changes: [['/=+$/', '/=+/']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what a line may cost can be computed',
      changes: [['error === null', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'tests run on no Windows',
      changes: [
        ["process.platform !== 'win32'", 'true'],
        ["'win32'", '""'],
      ],
    },
  ],
  'query-api.ts': [
    {
      kind: 'equal',
      reason: 'no text of these is a number, a node or an encoding',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what has no id is not listed, and what is not listed has no query API',
      changes: [
        ['serviceId === undefined', 'false'],
        ['listed === undefined', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason:
        'for the compiler: what fetch throws is an error, with a cause whose code is a text if it has one',
      changes: [
        ['error instanceof Error && error.cause instanceof Error', 'true'],
        [
          'error instanceof Error && error.cause instanceof Error',
          'error instanceof Error || error.cause instanceof Error',
        ],
        [
          "cause !== undefined && 'code' in cause && typeof cause.code === 'string'",
          "cause !== undefined && 'code' in cause || typeof cause.code === 'string'",
        ],
        ["cause !== undefined && 'code' in cause", 'true'],
        ["cause !== undefined && 'code' in cause", "cause !== undefined || 'code' in cause"],
        ['cause !== undefined', 'true'],
        ["typeof cause.code === 'string'", 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what gives nothing gives undefined, and what is no number is no time',
      changes: [
        ['{ return undefined }', '{}'],
        ['value === undefined', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: there are metrics with bars',
      changes: [
        ['barQuery === undefined', 'false'],
        ['[]', '["Stryker was here"]'],
      ],
    },
  ],
  'receivers.ts': [
    {
      kind: 'equal',
      reason: 'JSON leaves out what is undefined',
      changes: [['receiver.name !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'there is a folder and a file in it, or neither',
      changes: [
        ['folder === undefined || path === undefined', 'folder === undefined && path === undefined'],
        ['folder === undefined', 'false'],
        ['path === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'bytes that are read as JSON are read as UTF-8, and what gives nothing gives undefined',
      changes: [
        ["'utf8'", '""'],
        ['{ return undefined // no JSON is no valid document, which the caller reports }', '{}'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is refused has a problem',
      changes: [
        ["'can not be read'", '""'],
        ['problem === undefined', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'a file that is left open until the process ends',
      changes: [['{ closeSync(file) }', '{}']],
    },
  ],
  'reply.ts': [
    {
      kind: 'unseen',
      reason: 'only so that a large document is in memory once: its bytes are the same',
      changes: [
        'text.length < LARGE_CHARS',
        ['text !== newestLarge.text', 'true'],
        ["{ text: '', bytes: Buffer.alloc(0) }", '{}'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'unseen',
      reason:
        'Node parts a request from its connection before it ends the request, though it does not promise to, so that the answer goes out in either case',
      changes: [
        ['{ destroyOnReturn: false }', '{}'],
        ['false', 'true'],
      ],
    },
  ],
  'request-guard.ts': [
    {
      kind: 'equal',
      reason: 'a host that was read has brackets at its ends only',
      changes: [
        ['/^\\[|\\]$/g', '/\\[|\\]$/g'],
        ['/^\\[|\\]$/g', '/^\\[|\\]/g'],
      ],
    },
    { kind: 'equal', reason: 'neither text is a host', changes: [["''", '"Stryker was here!"']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: what matched has a host',
      changes: [['match?.[1]?.toLowerCase', 'match?.[1].toLowerCase']],
    },
  ],
  'request-rate.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where there are 10,000 there is a first',
      changes: [['quietest !== undefined', 'true']],
    },
  ],
  'secrets.ts': [
    {
      kind: 'equal',
      reason: 'what takes all there is ends at its end, and Node writes UTF-8 where no encoding is named',
      changes: [
        ['/^(env|credential):(.*)$/s', '/^(env|credential):(.*)/s'],
        ["'utf8'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what matched has a name',
      changes: [
        ["''", '"Stryker was here!"'],
        ['[]', '["Stryker was here"]'],
      ],
    },
  ],
  'server-signer.ts': [
    {
      kind: 'equal',
      reason: 'a service may name its own host, and no text names this one',
      changes: [
        ['serviceIdOf(baseUrl) === id', 'false'],
        ['[]', '["Stryker was here"]'],
      ],
    },
  ],
  'sign-in.ts': [
    {
      kind: 'equal',
      reason: 'there are sessions where there are passwords, and nowhere else',
      changes: [
        [
          "access.kind === 'password' && gate.sessions !== undefined",
          "access.kind === 'password' || gate.sessions !== undefined",
        ],
        ["access.kind === 'password'", 'true'],
        ['gate.sessions !== undefined', 'true'],
        ['sessions?.end', 'sessions.end'],
      ],
    },
    {
      kind: 'equal',
      reason: 'bytes as they are make a key of each name, too',
      changes: [["'base64'", '""']],
    },
    {
      kind: 'unseen',
      reason:
        'for the compiler: what comes from a page of this server has an origin, and what came in an address',
      changes: [
        ['headers.origin?.startsWith', 'headers.origin.startsWith'],
        ["'/'", '""'],
      ],
    },
  ],
  'signing-keys.ts': [
    {
      kind: 'unseen',
      reason: 'no passphrase begins with a line end, so either reading of one is wrong',
      changes: [['end < 0', 'end <= 0']],
    },
    {
      kind: 'unseen',
      reason: 'bytes that are left in memory',
      changes: [['{ pkcs8.fill(0) seed.fill(0) }', '{}']],
    },
  ],
  'sessions.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where there are 1,000 there is a first',
      changes: [['oldest !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'of tries that all are there again nothing has to be remembered, and nothing is said if it is',
      changes: [
        ['(fullMs.get(key) ?? 0) > nowMs()', 'true'],
        ['(fullMs.get(key) ?? 0) > nowMs()', '(fullMs.get(key) ?? 0) >= nowMs()'],
      ],
    },
  ],
  'visitor-address.ts': [
    {
      kind: 'equal',
      reason: 'neither is an address, so it is the connection’s that counts',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: no address at all is none either',
      changes: [['visitor !== undefined', 'true']],
    },
  ],
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
  'service-list.ts': [
    { kind: 'equal', reason: 'no service is called so', changes: [['[]', '["Stryker was here"]']] },
    {
      kind: 'unseen',
      reason: 'for the compiler: who may add services is said to each page by itself',
      changes: [['false', 'true']],
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
  'upstream.ts': [
    {
      kind: 'equal',
      reason: 'where nothing was sent yet the end is settled, and an error after it changes nothing',
      changes: [['request?.destroy', 'request.destroy']],
    },
    {
      kind: 'equal',
      reason:
        'of a request whose answer has ended nothing is left to end, and one that is answered too long is ended beside it',
      changes: [['!result.ok', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'Node fails an answer that breaks off, and lets only a whole one end',
      changes: [["'cut-off'", '""']],
    },
    { kind: 'equal', reason: NO_TEXT, changes: [["''", '"Stryker was here!"']] },
    {
      kind: 'equal',
      reason: 'what is neither of the two wider reaches is the narrowest',
      changes: [["'public'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'only so that nothing is remembered of a service that nobody waits for',
      changes: [
        ['left > 0', 'true'],
        ['left > 0', 'left >= 0'],
      ],
    },
  ],
  'proxy.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: Node makes a list of no header but set-cookie, which no browser sends',
      changes: [["typeof value === 'string'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'without a target no service was looked for',
      changes: [['target === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'whoever is gone gets no answer, whatever it is',
      changes: [
        ["reply.error !== 'gone'", 'true'],
        ["'gone'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: settings name no built-in profile that there is not',
      changes: [['profile?.headers', 'profile.headers']],
    },
    { kind: 'equal', reason: NO_TEXT, changes: [["''", '"Stryker was here!"']] },
  ],
  'tls-files.ts': [
    {
      kind: 'equal',
      reason: 'neither is a file, and asked is only whether stamps differ',
      changes: [
        ['[]', '["Stryker was here"]'],
        ["', '", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what reading throws is an error',
      changes: [["'the files can not be read'", '""']],
    },
  ],
}
