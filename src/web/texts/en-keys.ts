import { counted } from './format.ts'

const SIGNER_SILENT = 'The signer does not answer. Reload this page.'
const GONE = 'This key is no longer in this browser.'

/** Problems of changing a vault. */
const VAULT_PROBLEMS = {
  'wrong-secret': 'Wrong passphrase. Nothing was changed.',
  damaged: 'The key in the vault is damaged.',
  'no-vault': GONE,
  'passphrase-short': 'A passphrase has 12 to 1,024 characters.',
  'too-many': 'The vault has reached its limit of passphrases and passkeys.',
  'not-kept': 'Not changed: the browser’s storage rejected it.',
  failed: SIGNER_SILENT,
} as const

export const keyTexts = {
  place: {
    legend: 'Key storage',
    device: 'On this device',
    deviceText:
      'Available after a restart. Best for a wall screen with a read-only key. Scripts can’t read it, but one running in this page could sign anything with it. Anyone who can read this computer’s disk can copy it.',
    vault: 'In the vault',
    vaultText:
      'Encrypted with a passphrase. You unlock it after each restart, and it locks when idle. While the key is unlocked, a script in this page could sign for the services you allowed, and for no others.',
    session: 'For this session',
    sessionText:
      'In memory only, until the last tab of this dashboard is closed. Import it again afterwards; a generated key is lost.',
    onlySession:
      'Only “For this session” is available: the page was loaded over plain http, or this browser stores nothing.',
  },
  passphrase: {
    label: 'Passphrase',
    again: 'Repeat passphrase',
    hint: 'At least 12 characters. It can’t be recovered: without it the key is lost.',
    differ: 'The passphrases differ. Both fields were cleared.',
    short: 'At least 12 characters. The fields were cleared.',
  },
  unlock: {
    title: 'Unlock the key',
    open: 'Unlock',
    key: 'Key',
    label: 'Passphrase',
    opening: 'Unlocking (takes a few seconds)',
    withPasskey: 'Use a passkey',
    problems: {
      'wrong-secret': 'Wrong passphrase, or the stored key was changed.',
      damaged: 'The passphrase is right, but the key is damaged. Import it again from your own copy.',
      'no-vault': GONE,
      failed: SIGNER_SILENT,
      passkey: 'No passkey answered. Use the passphrase.',
    },
    lead: 'Polling is stopped while the key is locked; the data shown is not updated.',
    lost: {
      title: 'Lost the passphrase?',
      text: 'A lost passphrase can’t be recovered.',
      steps: [
        'Remove this key under Settings, Key.',
        'Import it again from your own copy, with a new passphrase. Or generate a new key and register it with the service.',
        'If you generated one, revoke the old key at the service.',
      ],
      open: 'Open the key settings',
    },
  },
  warning: {
    title: (text: string): string => `Key locks in ${text}`,
    text: 'This computer has been idle. When the key locks, polling stops until you unlock it.',
    stay: 'Keep unlocked',
  },
  lockAfter: {
    neverSecret: (key: string): string => `Passphrase of ${key}, to keep it unlocked`,
    neverConfirm: 'Never lock',
    wrong: 'Wrong passphrase. Nothing was changed.',
    label: 'Lock after',
    hint: 'Idle time counts across all tabs. Applies to all vaults of this browser; imported settings don’t change it.',
    never: 'Never',
    options: (count: number): string => counted(count, 'minute'),
    notKept: 'The browser did not save this change. It applies until the last tab closes.',
  },
  card: {
    locked: 'Locked',
    open: 'Unlocked',
    family: 'Type',
    chain: 'wallet or validator key: never stored on the device, signs only messages with a fixed prefix',
    usedBy: 'Signs for',
    signFor: (service: string): string => `Use for ${service}`,
    stopFor: (service: string): string => `Stop signing for ${service}`,
    usedByNone: 'no service',
    lastUsed: 'Last used',
    neverUsed: 'never',
    notAfter: 'Expires',
    notAfterNone: 'no date set',
    notAfterOver: '(expired: the service may reject it)',
    date: 'Expires, as registered with the service',
    dateHint: 'The last day, in UTC. For information only: the service decides. Empty: no date.',
    dateForm: 'Enter a valid date, such as 2027-01-31.',
    noteFailed: 'Not saved: the browser’s storage rejected the change.',
    qr: 'Show QR code',
    qrAlt: 'QR code of the public key',
  },
  replace: {
    open: 'Replace',
    title: (short: string): string => `Replace key ${short}`,
    lead: 'The old key signs until you switch each service to the new one.',
    by: 'New key',
    another: 'Generate another',
    make: 'Generate the new key',
    label: (old: string): string => `${old}, new`,
    notPinned: 'No key generated: the browser could not save the settings that keep the old key in use.',
    register: 'First register the new key with the service:',
    test: (service: string): string => `Then test it at ${service}. Polling continues with the old key.`,
    notYet: 'Available once the test has passed.',
    taken: 'The service accepts the new key.',
    switched: 'Now signing with the new key.',
    switch: (service: string): string => `Use the new key for ${service}`,
    done: 'The old key is no longer used.',
    revoke: (short: string): string =>
      `Revoke ${short} at the service first (reference service: remove its line from the key file), then remove it here.`,
    removeOld: 'Remove old key',
  },
  change: {
    title: 'Change passphrase',
    text: 'Copies saved earlier keep the old passphrase.',
    current: 'Current passphrase',
    next: 'New passphrase',
    change: 'Change',
    changing: 'Changing (takes a few seconds)',
    changed: 'Passphrase changed.',
    problems: {
      ...VAULT_PROBLEMS,
      'not-kept': `${VAULT_PROBLEMS['not-kept']} The old passphrase still applies.`,
    },
  },
  move: {
    export: 'Download encrypted copy',
    exportText: 'A file encrypted with the passphrase. Anyone who has the file can guess a weak passphrase.',
    exportFailed: 'The copy could not be made.',
    title: 'Import a vault',
    file: 'Vault file',
    filePrompt: 'Choose or drop a file',
    take: 'Import vault',
    replace: 'Replace existing key',
    leave: 'Keep existing key',
    label: 'Imported key',
    chosen: (name: string): string => `Selected: ${name}.`,
    problems: {
      exists:
        'This key is already in this browser. Replacing it also replaces its passphrase with that of the file and removes its passkeys. To replace it, enter the passphrase of the file again.',
      'chain-key':
        'Not imported: this browser knows the key as a wallet or validator key, but the file does not mark it as one. Download a new copy from a browser that marks it, or remove the key here first.',
      'not-a-vault': 'Not a dashboard vault file.',
      'cost-refused': 'The file was changed: its key-derivation cost is out of range. Use another copy.',
      'wrong-secret': 'Wrong passphrase, or the file was changed.',
      damaged: 'The passphrase is right, but the key in the file is damaged.',
      'not-kept': 'The file was decrypted, but this browser refused to store the key.',
      'too-many': 'Too many keys in this browser. Remove one first.',
      'not-secure': 'Vaults need a secure context: open the dashboard over https or on localhost.',
      failed: SIGNER_SILENT,
    },
  },
  passkey: {
    title: 'Passkey',
    add: 'Add passkey',
    remove: 'Remove passkey',
    text: 'A passkey also unlocks the vault. When you use it, the passkey’s secret passes through this page. The passkey works only under this host name, and downloaded copies do not contain it.',
    needsName: (port: string): string =>
      `Passkeys need a host name, and this page was opened by IP address. Open it by host name or, on the computer that runs the dashboard server, at http://localhost:${port}/. Each origin has its own keys.`,
    unsupported:
      'No passkey was added: the request was cancelled, or this browser or the passkey does not support WebAuthn PRF.',
    passphrase: 'Passphrase, to add the passkey',
    added: 'Passkey added.',
    problems: VAULT_PROBLEMS,
  },
  forget: {
    backup: 'Export settings first',
    backupText:
      'One file with services, nodes, units, limits, alarm rules, views and display settings, without keys or receivers.',
    vault: (short: string): string => `Download encrypted copy of key ${short}`,
    vaultFailed: 'The copy could not be made.',
    noCopy: (shorts: readonly string[]): string =>
      `${shorts.join(', ')} can’t be exported. Make sure you have another key, or your own copy.`,
    backupName: 'immune-settings.json',
    partly:
      'Only partly cleared: the dashboard server did not answer. Also clear this site’s data in the browser’s settings.',
  },
} as const
