import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_SIGNING: FolderReasons = {
  'preset-ids.ts': [
    {
      kind: 'equal',
      reason: 'there is one such profile',
      changes: [
        ['PROOF_PROFILE_IDS.some((known) => known === id)', 'PROOF_PROFILE_IDS.every(known => known === id)'],
      ],
    },
  ],
  'profile-lint.ts': [
    {
      kind: 'equal',
      reason: 'no placeholder has the name further on, or begins with it and goes on',
      changes: [
        [String.raw`/^(ts|exp)\./`, String.raw`/(ts|exp)\./`],
        [String.raw`/^nonce\./`, String.raw`/nonce\./`],
        ['/^(origin|authority|url)$/', '/^(origin|authority|url)/'],
        ['/^method$/', '/^method/'],
        [String.raw`/^(kid|kid\.thumbprint|key\..+)$/`, String.raw`/^(kid|kid\.thumbprint|key\..+)/`],
        [String.raw`/^(sig\..+|jwt|sigHeader)$/`, String.raw`/^(sig\..+|jwt|sigHeader)/`],
        [String.raw`/^(ts\.(s|ms|iso)|exp\..+)$/`, String.raw`/(ts\.(s|ms|iso)|exp\..+)$/`],
        [String.raw`/^(ts\.(s|ms|iso)|exp\..+)$/`, String.raw`/^(ts\.(s|ms|iso)|exp\..+)/`],
      ],
    },
    {
      kind: 'equal',
      reason: 'no header’s name has an @, and no component is called so',
      changes: [
        ['/^@[a-z-]+$/', '/@[a-z-]+$/'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is not in the list is sorted before all that is',
      changes: [["'error'", '""']],
    },
    {
      kind: 'equal',
      reason: 'nothing is looked for by this name',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'a profile has {jwt} or {sigInput} only with a message of that kind',
      changes: [
        ["message.kind === 'jwt'", 'true'],
        ["message.kind === 'rfc9421'", 'true'],
      ],
    },
  ],
  'profile-needs.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: only a message of this kind has the field',
      changes: [
        ["message.kind === 'none'", 'true'],
        ["profile.message.kind === 'none'", 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'two braces have no name, and this is no key’s',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'profile-rules.ts': [
    {
      kind: 'equal',
      reason: 'only whether it is a header is asked',
      changes: [["'signed'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: {token} in a message of another kind was refused before',
      changes: [["message.kind === 'none'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'names of headers are ASCII: two are the same in lower case where they are in upper case',
      changes: [['name.toLowerCase()', 'name.toUpperCase()']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a split text has a first part',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'profile-tries.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: the profile is one with a token',
      changes: [
        ["token.kind === 'jwt'", 'true'],
        ['[]', '["Stryker was here"]'],
      ],
    },
  ],
  'signed-text-check.ts': [
    {
      kind: 'equal',
      reason:
        'neither a host in lower case, nor a placeholder’s name, nor a part of a template that was read',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason:
        'no text of the profile’s own, so nothing is looked for in it; and each placeholder can be filled in',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'no placeholder has the name further on, or begins with it and goes on',
      changes: [
        ['/^(origin|authority|url)$/', '/^(origin|authority|url)/'],
        [String.raw`/^(ts|exp)\./`, String.raw`/(ts|exp)\./`],
      ],
    },
    {
      kind: 'equal',
      reason: 'asked is only whether it is the profile’s, the node’s or another',
      changes: [["'time'", '""']],
    },
  ],
  'signing-grant.ts': [
    {
      kind: 'equal',
      reason: 'a text is no grant',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'signing-values.ts': [
    {
      kind: 'equal',
      reason: 'neither form changes what was typed',
      changes: [["'typed'", '""']],
    },
    {
      kind: 'equal',
      reason: 'a token that is not there can not be filled in either way',
      changes: [['input.token !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'it is made again, which takes longer',
      changes: [['known !== undefined', 'false']],
    },
  ],
  'status-request.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: only a template has a hash',
      changes: [["message.kind !== 'template'", 'false']],
    },
    {
      kind: 'equal',
      reason: 'what has no value reads as a word of ASCII, and is given back as it is',
      changes: [['!value.ok', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: each request has a query, if an empty one',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: no difference to nothing is small',
      changes: [['agreedMs !== undefined', 'true']],
    },
  ],
  'template-parts.ts': [
    {
      kind: 'equal',
      reason: 'an empty rest has no brace, which ends it as well',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'token.ts': [
    {
      kind: 'equal',
      reason: 'it is not looked at',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
}
