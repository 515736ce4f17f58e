import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_KEYS: FolderReasons = {
  'ascii.ts': [
    {
      kind: 'equal',
      reason: 'behind the last byte no text begins',
      changes: [['at < bytes.length', 'at <= bytes.length']],
    },
  ],
  'auto-lock.ts': [
    {
      kind: 'equal',
      reason: 'undefined is not more than nothing',
      changes: [['left !== undefined', 'true']],
    },
  ],
  'bcrypt-pbkdf.ts': [
    {
      kind: 'equal',
      reason: 'what is written behind the end of an array of bytes or words is written nowhere',
      changes: [
        ['i < BLOCK_BYTES', 'i <= BLOCK_BYTES'],
        ['at < keyBytes', 'at <= keyBytes'],
        ['at < words.length', 'at <= words.length'],
      ],
    },
  ],
  'blowfish.ts': [
    {
      kind: 'equal',
      reason: 'what is written behind the end of an array of words is written nowhere',
      changes: [
        ['i < P_WORDS', 'i <= P_WORDS'],
        ['i < words.length', 'i <= words.length'],
      ],
    },
  ],
  'create-signer.ts': [
    {
      kind: 'unseen',
      reason: 'a bound of memory: a text that was looked at and forgotten is looked at once more',
      changes: [
        ['nodes.size >= DEFAULTS.nodesMax', 'false'],
        ['nodes.size >= DEFAULTS.nodesMax', 'nodes.size > DEFAULTS.nodesMax'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is no service has no profile',
      changes: [['service === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'neither is a node id',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'unseen',
      reason: 'no engine at hand derives another public key of this seed',
      changes: [['bytesToHex(key.publicKey) === PUBLIC_KEY', 'true']],
    },
  ],
  'der.ts': [
    {
      kind: 'equal',
      reason: 'a word for a problem is longer than any list of types that is asked for',
      changes: [
        ["typeof items === 'string'", 'false'],
        ["'string'", '""'],
      ],
    },
  ],
  'format-binary.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where the type is missing, so is what follows',
      changes: [['type === undefined', 'false']],
    },
  ],
  'format-openssh.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where the count is missing, so is all behind it',
      changes: [['count === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'ssh-keygen makes no file that an empty passphrase opens',
      changes: [['passphrase.length === 0', 'false']],
    },
    {
      kind: 'equal',
      reason: 'what is too short for two numbers has no fields either',
      changes: [['again === undefined', 'false']],
    },
  ],
  'format-pbes2.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a file of this shape has both parts',
      changes: [['algorithm === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'a word for a problem has no items and no tag: it is damaged, or nonsense, too',
      changes: [
        ["typeof content === 'string'", 'false'],
        ["typeof items === 'string'", 'false'],
        ["'string'", '""'],
        ["'damaged'", '""'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what is read of a key without protection is a key or a problem',
      changes: [["found.found === 'problem'", 'true']],
    },
    {
      kind: 'equal',
      reason: 'a function without a result gives none',
      changes: [['{ return undefined // the padding is wrong, which the library throws }', '{}']],
    },
    {
      kind: 'equal',
      reason: 'the second part is missing all the same',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: fields are read all or none, and numbers in their order',
      changes: [
        [
          'derivation === undefined || encryption === undefined',
          'derivation === undefined && encryption === undefined',
        ],
        ['derivation === undefined', 'false'],
        ['encryption === undefined', 'false'],
        ['id === undefined || parameters === undefined', 'id === undefined && parameters === undefined'],
        ['id === undefined', 'false'],
        ['parameters === undefined', 'false'],
        ['cost === undefined || blocks === undefined', 'false'],
        ['cost === undefined || blocks === undefined', 'cost === undefined && blocks === undefined'],
        ['cost === undefined', 'false'],
        ['blocks === undefined', 'false'],
      ],
    },
  ],
  'format-pkcs8.ts': [
    {
      kind: 'equal',
      reason: 'a word for a problem has no items and no tag, and is as short as no seed is',
      changes: [
        ["typeof seed === 'string'", 'false'],
        ["typeof items === 'string'", 'false'],
        ["'string'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a word for a problem is no DER: it is damaged too',
      changes: [
        ["content === 'damaged'", 'false'],
        ["'damaged'", '""'],
      ],
    },
    {
      kind: 'equal',
      reason: 'both pass over two bytes',
      changes: [['lengthByte < 0x80', 'lengthByte <= 0x80']],
    },
    {
      kind: 'equal',
      reason: 'neither is Bitcoin’s curve',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'format-polkadot.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: where salt or numbers are missing, too little is left for the nonce',
      changes: [
        ['salt === undefined || numbers === undefined', 'false'],
        ['salt === undefined || numbers === undefined', 'salt === undefined && numbers === undefined'],
        ['salt === undefined', 'false'],
        ['numbers === undefined', 'false'],
      ],
    },
  ],
  'format-text.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: 56 digits of base32 are whole bytes',
      changes: [['bytes === undefined', 'false']],
    },
  ],
  'held-keys.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: without a store every key is for the session, and no vault is kept',
      changes: [
        ['store?.remove', 'store.remove'],
        ['removed?.ok', 'removed.ok'],
        ['state.store?.remove', 'state.store.remove'],
        ['(await state.store?.remove(publicKey))?.ok', '(await state.store?.remove(publicKey)).ok'],
        ['store?.note', 'store.note'],
        ['(await store?.note(one.publicKey, notes))?.ok', '(await store?.note(one.publicKey, notes)).ok'],
        ['store === undefined', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'a member that is undefined reads as one that is not there',
      changes: [
        ['kept !== undefined', 'true'],
        ['lastUsedMs === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'the same stands for nothing on both sides',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'inspection.ts': [
    {
      kind: 'equal',
      reason: 'turns are only told apart',
      changes: [['turn++', 'turn--']],
    },
  ],
  'json-values.ts': [
    {
      kind: 'equal',
      reason: 'at the end and one further there is no quote either',
      changes: [['at < bytes.length', 'at <= bytes.length']],
    },
  ],
  'key-ring.ts': [
    {
      kind: 'equal',
      reason: 'whoever is granted nothing stays as it is',
      changes: [
        ['services.length > 0', 'true'],
        ['services.length > 0', 'services.length >= 0'],
      ],
    },
    {
      kind: 'equal',
      reason: 'only a chain key is asked about',
      changes: [["'plain'", '""']],
    },
  ],
  'nacl-signer.ts': [
    {
      kind: 'equal',
      reason: 'the upper half of a reduced challenge is zero',
      changes: [['i < HALF_BYTES', 'i <= HALF_BYTES']],
    },
  ],
  'passphrase-key.ts': [
    {
      kind: 'equal',
      reason: 'a function without a result gives none',
      changes: [
        [
          '{ return undefined // no such numbers, or this browser does not have as much memory to give }',
          '{}',
        ],
      ],
    },
  ],
  'read-key.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: the length is known by then, so no part is missing',
      changes: [["'minisign'", '""']],
    },
    {
      kind: 'equal',
      reason: 'a place that is odd is not two',
      changes: [['at > 2', 'at >= 2']],
    },
    {
      kind: 'equal',
      reason: 'what is written behind the end of an array of bytes is written nowhere',
      changes: [['i < text.length', 'i <= text.length']],
    },
    {
      kind: 'equal',
      reason: 'the whole length was told apart before',
      changes: [['content.length < BYTES', 'content.length <= BYTES']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: content of the whole length has every part',
      changes: [
        ['!algorithm || !derivation || !checksum || !sealed', 'false'],
        [
          '!algorithm || !derivation || !checksum || !sealed',
          '(!algorithm || !derivation || !checksum) && !sealed',
        ],
        ['!algorithm || !derivation || !checksum', 'false'],
        ['!algorithm || !derivation || !checksum', '(!algorithm || !derivation) && !checksum'],
        ['!algorithm || !derivation', 'false'],
        ['!algorithm || !derivation', '!algorithm && !derivation'],
      ],
    },
  ],
  'signature-cache.ts': [
    {
      kind: 'unseen',
      reason: 'what is kept for no time at all is never found',
      changes: [['reuseSecondsOf(service) === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a list that is longer than its bound has a first entry',
      changes: [['oldest !== undefined', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a text has no time of use again',
      changes: [
        ["typeof service.profile === 'string'", 'false'],
        ["'string'", '""'],
      ],
    },
  ],
  'text-codes.ts': [
    {
      kind: 'equal',
      reason: 'what is written behind the end of an array of bytes is written nowhere',
      changes: [
        ['i < length', 'i <= length'],
        ['i < digits.length', 'i <= digits.length'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a space is white space already',
      changes: [['byte > 0x20', 'byte >= 0x20']],
    },
    {
      kind: 'equal',
      reason: 'what has three signs of padding is no base64 by its length',
      changes: [['text.length - length < 2', 'text.length - length <= 2']],
    },
  ],
  'token-ring.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: without a store nothing is on the device',
      changes: [['store === undefined', 'false']],
    },
  ],
  'try-rounds.ts': [
    {
      kind: 'unseen',
      reason: 'the same times are written once more',
      changes: [
        ['kept.some(([, keptMs]) => keptMs > nowMs)', 'true'],
        ['keptMs > nowMs', 'true'],
        ['keptMs > nowMs', 'keptMs >= nowMs'],
      ],
    },
    {
      kind: 'equal',
      reason: 'a round that is known still has its hour, and was refused before',
      changes: [['last === undefined', 'true']],
    },
  ],
  'vault-acts.ts': [
    {
      kind: 'equal',
      reason: 'lockings are only told apart',
      changes: [['lockings++', 'lockings--']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: work is done in turn, so the vault that was opened is still here',
      changes: [
        ['info === undefined', 'false'],
        ["'no-vault'", '""'],
      ],
    },
  ],
  'vault-seal.ts': [
    {
      kind: 'unseen',
      reason:
        'for the compiler: a slot of a passkey has no cost to be less, and only a passphrase opens the other kind',
      changes: [
        ["slot.kind === 'passphrase'", 'true'],
        ["secret.kind !== 'passphrase'", 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a slot of a passphrase has no credential id',
      changes: [["slot.kind !== 'passkey'", 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what WebCrypto is given instead of bytes it refuses, which is caught',
      changes: [
        ['iv === undefined || sealed === undefined || publicKey === undefined', 'false'],
        [
          'iv === undefined || sealed === undefined || publicKey === undefined',
          '(iv === undefined || sealed === undefined) && publicKey === undefined',
        ],
        ['iv === undefined || sealed === undefined', 'false'],
        ['iv === undefined || sealed === undefined', 'iv === undefined && sealed === undefined'],
        ['iv === undefined', 'false'],
        ['sealed === undefined', 'false'],
        ['publicKey === undefined', 'false'],
        ['vault.grants === undefined || iv === undefined || sealed === undefined', 'false'],
        [
          'vault.grants === undefined || iv === undefined || sealed === undefined',
          '(vault.grants === undefined || iv === undefined) && sealed === undefined',
        ],
        ['vault.grants === undefined || iv === undefined', 'false'],
        ['vault.grants === undefined || iv === undefined', 'vault.grants === undefined && iv === undefined'],
        ['vault.grants === undefined', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'neither is what was sealed',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'a function without a result gives none',
      changes: [['{ return undefined // changed ciphertext, or something else than a key in it }', '{}']],
    },
    {
      kind: 'unseen',
      reason: 'any text will do that is signed and checked',
      changes: [["'immune-node-vault: is this the key of this vault?'", '""']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: AES-GCM has one key and never a pair',
      changes: [
        ["'privateKey' in made", 'false'],
        ["'privateKey'", '""'],
        ["'generateKey gave a pair'", '""'],
      ],
    },
  ],
  'vault-slot.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a slot is opened only by a secret of its own kind',
      changes: [
        ["secret.kind === 'passkey'", 'true'],
        [
          "slot.kind === 'passphrase' && secret.kind === 'passphrase'",
          "slot.kind === 'passphrase' || secret.kind === 'passphrase'",
        ],
        ["slot.kind === 'passphrase'", 'true'],
        ["secret.kind === 'passphrase'", 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason:
        'for the compiler: what WebCrypto is given instead of bytes or a key it refuses, which is caught',
      changes: [
        ['iv === undefined', 'false'],
        ['wrapped === undefined', 'false'],
        ['wrapping === undefined', 'false'],
      ],
    },
  ],
  'vault.ts': [
    {
      kind: 'equal',
      reason: 'no part of a vault may hold the sign that stands for what is no UTF-8',
      changes: [
        ['{ fatal: true }', '{}'],
        ['true', 'false'],
      ],
    },
  ],
  'verify-signature.ts': [
    {
      kind: 'unseen',
      reason: 'a public key is no secret: nobody is given the imported one',
      changes: [['false', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a map that is longer than its bound has a first entry',
      changes: [['oldest !== undefined', 'true']],
    },
  ],
  'web-crypto-signer.ts': [
    {
      kind: 'equal',
      reason: 'what is asked of a missing property throws, which is caught',
      changes: [['subtle === undefined', 'false']],
    },
    {
      kind: 'unseen',
      reason: 'the key that is made for a trial is thrown away',
      changes: [['false', 'true']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: Ed25519 always gives a pair',
      changes: [
        ["!('privateKey' in pair)", 'false'],
        ["'generateKey gave a single key'", '""'],
      ],
    },
  ],
}
