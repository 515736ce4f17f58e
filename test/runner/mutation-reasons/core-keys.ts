import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_KEYS: FolderReasons = {
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
        ['grants !== undefined', 'true'],
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
}
