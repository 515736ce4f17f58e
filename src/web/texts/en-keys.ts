import { formatCount } from './format.ts'

const minutes = (count: number): string => (count === 1 ? '1 minute' : `${formatCount(count)} minutes`)

/** Where keys are kept, how they are locked and opened, and how they move. */
export const keyTexts = {
  place: {
    legend: 'Where the key is kept',
    device: 'On this device',
    deviceText:
      'Comes back by itself after a restart, so it suits a wall screen and a key that may only read status. No script can read it; one that runs in this page could have requests signed. Whoever can read this computer’s disk can copy it.',
    vault: 'In the vault',
    vaultText:
      'Encrypted with a passphrase. Somebody who copies the disk has to guess it. It has to be opened after each restart and is locked when nobody is here; while it is open it protects no more than the device.',
    session: 'For this session',
    sessionText:
      'In memory only, until the last tab of this dashboard is closed. Nothing is written to disk, and the key has to be brought again.',
    onlySession: 'On plain http the browser keeps no keys, so this one is for the session.',
  },
  passphrase: {
    label: 'Passphrase',
    again: 'The same again',
    hint: 'At least 12 characters. It can’t be recovered: without it the key is lost.',
    differ: 'The two are not the same. Both fields were emptied.',
    short: 'At least 12 characters are needed. The fields were emptied.',
  },
  unlock: {
    title: 'Unlock the key',
    open: 'Unlock',
    lockNow: 'Lock now',
    key: 'Key',
    label: 'Passphrase',
    opening: 'Opening, which takes a few seconds',
    withPasskey: 'Use a passkey',
    problems: {
      'wrong-secret': 'This does not open it. Either it is not the passphrase, or the record was changed.',
      damaged:
        'The passphrase is right, but the key behind it is damaged. Bring the key again from your own copy.',
      'no-vault': 'This key is no longer in this browser.',
      failed: 'The part of this page that holds keys does not answer. Reload the page.',
      passkey: 'No passkey answered. Use the passphrase.',
    },
    lead: 'Nothing is asked while the key is locked. What was seen stays on screen and gets older.',
  },
  warning: {
    title: (text: string): string => `The key is locked in ${text}`,
    text: 'Nobody was at this computer for a while. Once it is locked, nothing is asked until somebody unlocks it.',
    stay: 'Keep it open',
  },
  lockAfter: {
    label: 'Lock after',
    hint: 'Without a key press or pointer in any tab. For all vaults of this browser; imported settings don’t change it.',
    never: 'Never by itself',
    options: (count: number): string => minutes(count),
    notKept: 'In force until the last tab closes. The browser would not keep it.',
  },
  card: {
    locked: 'Locked',
    open: 'Open',
    family: 'Kind',
    chain:
      'of a chain wallet or validator: never kept on the device, and signs only texts with a fixed beginning',
    usedBy: 'Signs for',
    signFor: (service: string): string => `Sign for ${service} with it`,
    usedByNone: 'no service',
    lastUsed: 'Last used',
    neverUsed: 'not noted so far',
    notAfter: 'Good until',
    notAfterNone: 'no date noted',
    notAfterOver: 'is over: the service may refuse it',
    edit: 'Rename',
    date: 'Good until, as registered at the service',
    dateHint: 'Only a note: the service decides. Empty: no date.',
    dateForm: 'Write the day as 2027-01-31.',
    noteFailed: 'Not saved: the browser did not let its storage be changed.',
    qr: 'Show as a QR code',
    qrAlt: 'The public key as a QR code',
  },
  replace: {
    open: 'Replace',
    title: (short: string): string => `Replace key ${short}`,
    lead: 'The new key stands beside the old one, which goes on signing until the service takes the new one.',
    by: 'New key',
    another: 'Make another one',
    make: 'Make the new key',
    label: (old: string): string => `${old}, new`,
    notPinned:
      'The new key was not made, because the settings could not be changed so that the old one goes on signing meanwhile.',
    register: 'First let the service know the new key:',
    test: (service: string): string => `Then test whether ${service} takes it. Polls go on with the old key.`,
    notYet: 'Possible once the test has shown that the service takes the new key.',
    taken: 'The service takes the new key.',
    switched: 'The new key signs from now on.',
    switch: (service: string): string => `Sign for ${service} with the new key`,
    done: 'The old key signs for no service any more.',
    revoke: (short: string): string =>
      `Revoke ${short} at the service first, so that no copy of it is good for anything; at the reference service, take its line out of the file of keys. Then remove it here.`,
    removeOld: 'Remove the old key',
  },
  change: {
    title: 'Change the passphrase',
    text: 'Copies that were saved before go on opening with the old passphrase.',
    current: 'Passphrase so far',
    next: 'New passphrase',
    change: 'Change it',
    changing: 'Changing, which takes a few seconds',
    changed: 'Changed. From now on the new passphrase opens the vault.',
    problems: {
      'wrong-secret': 'This passphrase does not open the vault, so nothing was changed.',
      damaged: 'The key in the vault is damaged.',
      'no-vault': 'This key is no longer in this browser.',
      'passphrase-short': 'A passphrase has 12 to 1,024 characters.',
      'too-many': 'This vault has as many ways in as it may.',
      'not-kept':
        'Not changed: the browser did not let its storage be changed. The old passphrase still holds.',
      failed: 'The part of this page that holds keys does not answer. Reload the page.',
    },
  },
  move: {
    export: 'Save encrypted copy',
    exportText:
      'A file that opens with the passphrase. It is worth as much as the passphrase is hard to guess.',
    exportFailed: 'The copy could not be made.',
    title: 'Bring a vault from another computer',
    file: 'Vault file',
    filePrompt: 'Choose or drop the file',
    take: 'Take it in',
    replace: 'Replace the one here',
    leave: 'Leave it as it is',
    label: 'Moved here',
    chosen: (name: string): string => `${name} is chosen.`,
    problems: {
      exists:
        'This key is in this browser already, and nothing was changed. If the file takes its place, only what opens the file opens the key here: the passphrase and passkeys of the one here are gone. Type the passphrase of the file once more.',
      'chain-key':
        'This browser knows the key as that of a chain wallet or validator, and the file does not say so: it would loosen what this key may sign. Nothing was changed. Save the copy anew where the key is known as what it is, or remove the key here first.',
      'not-a-vault': 'This is no vault of this dashboard.',
      'cost-refused':
        'The file asks for less work than is safe, or for more than a browser has. It was changed; take another copy.',
      'wrong-secret': 'This passphrase does not open it, or the file was changed.',
      damaged: 'The passphrase is right, but the key in the file is damaged.',
      'not-kept': 'It opened, but this browser refuses to store it.',
      'too-many': 'This browser holds as many keys as it may. Remove one first.',
      'not-secure': 'On plain http no vault is opened. Open the dashboard in a secure way.',
      failed: 'The part of this page that holds keys does not answer. Reload the page.',
    },
  },
  passkey: {
    title: 'Passkey',
    add: 'Add a passkey',
    remove: 'Take the passkey out',
    text: 'A passkey opens the vault with a touch, beside the passphrase. Unlike a passphrase, the bytes it gives are made in this page and pass through it. It belongs to this host name and does not move with a saved copy.',
    needsName: (port: string): string =>
      `Passkeys need a host name, and this page was opened by number. Open http://localhost:${port}/ instead; keys are kept apart for each address.`,
    unsupported: 'This browser or this passkey can’t give a secret to a page (WebAuthn PRF).',
    passphrase: 'Passphrase, to add it',
    added: 'The passkey opens this vault from now on.',
    problems: {
      'wrong-secret': 'This passphrase does not open the vault.',
      damaged: 'The key in the vault is damaged.',
      'no-vault': 'This key is no longer in this browser.',
      'passphrase-short': 'At least 12 characters are needed.',
      'too-many': 'This vault has as many ways in as it may.',
      'not-kept': 'The browser did not let its storage be changed.',
      failed: 'The part of this page that holds keys does not answer. Reload the page.',
    },
  },
  forget: {
    backup: 'Save settings first',
    backupText: 'A file with services, nodes and display settings. No key is in it.',
    vault: (short: string): string => `Save encrypted copy of key ${short}`,
    vaultFailed: 'The copy could not be made.',
    noCopy: (shorts: readonly string[]): string =>
      `Of ${shorts.join(', ')} no copy can be made: such keys never leave this browser. Make sure that you have another way to sign, or your own copy.`,
    backupName: 'immune-settings.json',
    partly:
      'The dashboard’s server did not answer, so the browser could not be told to clear its files: what scripts can delete is deleted. Clear this site’s data in the browser’s own settings too.',
  },
} as const
