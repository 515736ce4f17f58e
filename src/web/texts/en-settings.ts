import type { DocumentProblem } from '#settings/settings.ts'
import { formatCount } from './format.ts'

const nodes = (count: number): string => (count === 1 ? '1 node' : `${formatCount(count)} nodes`)

/** The settings page. What it shares with the first screen is in `formTexts`. */
export const settingsTexts = {
  title: 'Settings',
  nav: 'Settings sections',
  groups: {
    connection: 'Connection',
    watching: 'Watching',
    screen: 'Screen',
    copy: 'Installation',
  },
  sections: {
    services: 'Services',
    signing: 'Signing profile',
    nodes: 'Nodes',
    units: 'Units and limits',
    document: 'Undo, export, import',
    key: 'Key',
    notifications: 'Notifications',
    display: 'Display',
    storage: 'Storage',
  },
  about: 'About',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  discard: 'Discard',
  edit: 'Edit',
  remove: 'Remove',
  unsaved: 'Not saved yet',
  saved: 'Saved.',
  savedHereOnly: 'Active in this tab, but not saved by the browser: lost on reload.',
  invalid: 'Not saved:',
  problem: ({ path, message }: DocumentProblem): string => (path === '' ? message : `${path} ${message}`),
  services: {
    lead: 'Which services are polled, how, and how often. Changes apply at once.',
    none: 'No services yet',
    noneText: 'Add the service that reports your nodes.',
    add: 'Add service',
    adding: 'Adding',
    fromServer: 'from the server configuration',
    own: 'set in this browser',
    test: 'Test',
    hideTest: 'Close test',
    removeTitle: (name: string): string => `Remove ${name}?`,
    removeText: (count: number): string =>
      count === 0
        ? 'No node of it is watched. The service can be added again.'
        : `${nodes(count)} of it will no longer be watched, and their data of this session is lost. The service can be added again.`,
    revertTitle: (name: string): string => `Revert your changes to ${name}?`,
    revertText: 'The service stays as in the server configuration.',
    revert: 'Revert changes',
    added: {
      title: 'Allowed by the dashboard server, not used here',
      text: 'Added or tested in a browser. Other browsers that use them lose access when they are removed.',
      removeOne: (baseUrl: string): string => `Remove ${baseUrl}`,
      removed: 'Removed from the dashboard server',
      failed: 'The dashboard server did not remove it',
    },
    fields: {
      label: 'Name',
      labelHint: 'Empty: its URL.',
      baseUrl: 'Base URL',
      via: 'Connection',
      viaNames: { proxy: 'through the dashboard server', direct: 'directly from this browser' },
      poll: 'Poll interval (seconds)',
      pollHint: 'How often each node is polled.',
      pollShown: 'Poll interval',
      deadline: 'Timeout (seconds)',
      deadlineHint: 'A slower answer counts as none.',
      deadlineShown: 'Timeout',
      profile: 'Signing profile',
      ownProfile: 'from the server configuration',
    },
    exists: 'This service is already listed.',
    tooMany: (max: number): string => `At most ${max} services. Remove one first.`,
  },
  nodes: {
    lead: 'One per line: id, then optionally a name and #tags; own is the node of your key. Nodes from a CSV file are added at the end.',
    label: (service: string): string => `Nodes of ${service}`,
    hint: (count: number): string => `${nodes(count)}.`,
    fromServer: (count: number): string =>
      `${nodes(count)} more from the server configuration. List one here to rename it.`,
    noService: 'Add a service first.',
    unchanged: 'No changes',
    changes: ({ added, removed, renamed, retagged }: NodeChanges): string =>
      [
        added > 0 && `adds ${formatCount(added)}`,
        removed > 0 && `removes ${formatCount(removed)}`,
        renamed > 0 && `renames ${formatCount(renamed)}`,
        retagged > 0 && `retags ${formatCount(retagged)}`,
      ]
        .filter((part) => part !== false)
        .join(', '),
    tooMany: (max: number): string => `At most ${formatCount(max)} nodes in all.`,
  },
  key: {
    lead: 'Requests are signed unless the service’s profile says otherwise. The private key never leaves the signer.',
    none: 'No key',
    failed:
      'The signer did not start, so requests can’t be signed. Reload this page; if that does not help, use a current browser.',
    noneText: 'Polling needs a key. Generate or import one.',
    noneNeeded: 'Not needed: no service here uses signatures.',
    signs: 'Signs requests',
    spare: 'Signs only for services that name it',
    label: 'Label',
    created: 'Added',
    custody: 'Stored',
    custodyNames: {
      device: 'in this browser, not exportable',
      vault: 'in this browser, encrypted',
      session: 'in memory, until the last tab closes',
    },
    another: 'Add key',
    anotherText:
      'A new key signs at once; until it is registered at the service, requests are rejected. The old key stays until you remove it.',
    anotherFirst: 'A new key signs at once. Register it at the service with the command shown then.',
    make: 'Generate a key',
    makeIt: 'Generate',
    makeLabel: 'Generated here',
    bring: 'Import an Ed25519 key',
    bringHide: 'Close',
    removeTitle: (short: string): string => `Remove key ${short}?`,
    removeText:
      'This browser can no longer sign with it, and it can’t be restored. Its bytes may stay readable in the browser’s files until overwritten, so also revoke the key at the service (reference service: remove its line from the key file).',
    removeUsed: (services: string): string => `${services}: polling stops until another key is chosen.`,
    removeLast: 'It is the only key: polling stops until there is another.',
    removeFailed:
      'Not removed: the browser refused to change its storage. Close other tabs of this dashboard and try again.',
    makeFailed: 'The key could not be generated.',
  },
  display: {
    theme: 'Theme',
    themes: { system: 'System', dark: 'Dark', light: 'Light' },
    contrast: 'Contrast',
    contrasts: { system: 'System', normal: 'Normal', more: 'High' },
    times: 'Times',
    timeZones: { utc: 'UTC', local: 'Local' },
    timesHint: 'For axes and tables; every tooltip shows both.',
  },
  storage: {
    keptWhere: 'What is stored where',
    forget: 'Clear all data',
    forgetText: 'Deletes settings, keys, history and journal from this browser.',
    forgetTitle: 'Clear all data of this browser?',
    forgetLines: [
      'Services, nodes and display settings of this browser are deleted.',
      'Keys are deleted and can’t be restored. Free disk blocks may keep traces: on a shared computer, also revoke the keys at the service.',
      'The server configuration and the services it allows stay.',
    ],
    forgetConfirm: 'Clear all data',
  },
} as const

export type NodeChanges = {
  readonly added: number
  readonly removed: number
  readonly renamed: number
  readonly retagged: number
}
