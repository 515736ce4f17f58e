import type { DocumentProblem } from '#settings/settings.ts'
import { formatCount } from './format.ts'

const nodes = (count: number): string => (count === 1 ? '1 node' : `${formatCount(count)} nodes`)

/** The settings page. What it shares with the first screen is in `formTexts`. */
export const settingsTexts = {
  title: 'Settings',
  nav: 'Sections of the settings',
  groups: {
    connection: 'Connection',
    watching: 'Watching',
    screen: 'Screen',
    copy: 'This copy',
  },
  sections: {
    services: 'Services',
    signing: 'Signing profile',
    nodes: 'Nodes',
    units: 'Units and limits',
    document: 'Undo, export, import',
    key: 'Key',
    telling: 'Telling people',
    display: 'Display',
    storage: 'Where things are kept',
  },
  about: 'About',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  discard: 'Discard',
  edit: 'Edit',
  remove: 'Remove',
  unsaved: 'Not saved yet',
  saved: 'Saved. In force now.',
  savedHereOnly: 'In force in this tab. The browser would not keep it, so a reload forgets it.',
  invalid: 'This can’t be kept:',
  problem: ({ path, message }: DocumentProblem): string => (path === '' ? message : `${path} ${message}`),
  services: {
    lead: 'What is asked, how, and how often. Changes are in force at once.',
    none: 'No service yet',
    noneText: 'Add the one that knows your nodes.',
    add: 'Add a service',
    adding: 'Adding',
    fromServer: 'from this server’s configuration',
    own: 'set in this browser',
    test: 'Test',
    hideTest: 'Close test',
    removeTitle: (name: string): string => `Stop asking ${name}?`,
    removeText: (count: number): string =>
      count === 0
        ? 'No node is watched there. The service is taken out of this browser’s settings; it can be added again.'
        : `${nodes(count)} of it will no longer be watched, and what was seen of them in this session is gone. The service can be added again.`,
    revertTitle: (name: string): string => `Forget your changes to ${name}?`,
    revertText: 'The service stays, as this server’s configuration describes it.',
    revert: 'Forget changes',
    added: {
      title: 'Allowed at this server, not used here',
      text: 'These were added or tried in a browser, so this dashboard’s server still asks them for whoever wants it. Other browsers that use them lose them when they are removed.',
      removeOne: (baseUrl: string): string => `Remove ${baseUrl}`,
      removed: 'Removed from this server',
      failed: 'This dashboard’s server did not remove it',
    },
    fields: {
      label: 'Name',
      labelHint: 'As it is called on screen. Left empty: its address.',
      baseUrl: 'Base URL',
      via: 'Asked',
      viaNames: { proxy: 'through this dashboard’s server', direct: 'directly by this browser' },
      poll: 'Poll interval, seconds',
      pollHint: 'How often each node is asked.',
      pollShown: 'Poll interval',
      deadline: 'Deadline, seconds',
      deadlineHint: 'An answer that takes longer is given up.',
      deadlineShown: 'Deadline',
      profile: 'Signing profile',
      ownProfile: 'its own, from the configuration',
    },
    exists: 'This service is in the list already.',
    tooMany: (max: number): string => `At most ${max} services can be asked. Remove one first.`,
  },
  nodes: {
    lead: 'One per line: id, then a name and #tags if you like; own stands for the node of your key. A CSV file works too and is added at the end.',
    label: (service: string): string => `Nodes of ${service}`,
    hint: (count: number): string => `${nodes(count)}.`,
    fromServer: (count: number): string =>
      `${nodes(count)} more from this server’s configuration. List one here to give it another name.`,
    noService: 'Nodes belong to a service: add one first.',
    unchanged: 'No changes',
    changes: ({ added, removed, renamed, retagged }: NodeChanges): string =>
      [
        added > 0 && `adds ${formatCount(added)}`,
        removed > 0 && `removes ${formatCount(removed)}`,
        renamed > 0 && `renames ${formatCount(renamed)}`,
        retagged > 0 && `tags ${formatCount(retagged)} anew`,
      ]
        .filter((part) => part !== false)
        .join(', '),
    tooMany: (max: number): string => `At most ${formatCount(max)} nodes can be watched in all.`,
  },
  key: {
    lead: 'Requests are signed, except where a service’s profile says otherwise. The secret half never leaves the part of this page that signs.',
    none: 'No key',
    failed:
      'It did not start, so nothing can be signed. Reload this page; if it stays so, try a current browser.',
    noneText: 'Nothing is asked without one. Make one here or bring yours.',
    noneNeeded: 'None is needed: no service here takes signatures.',
    signs: 'Signs requests',
    spare: 'Signs only for services that name it',
    label: 'Label',
    created: 'Made or brought',
    custody: 'Kept',
    custodyNames: {
      device: 'in this browser, not exportable',
      vault: 'in this browser, encrypted',
      session: 'in memory, until the last tab closes',
    },
    another: 'Another key',
    anotherText:
      'A new key signs from the moment it is here. Until the service knows it, requests are refused: register it at once. The old one stays until you remove it.',
    anotherFirst:
      'A new key signs from the moment it is here. The service has to know it: register it with the line that is shown then.',
    make: 'Make a new key',
    makeIt: 'Make it',
    makeLabel: 'Made here',
    bring: 'Bring my Ed25519 key',
    bringHide: 'Close',
    removeTitle: (short: string): string => `Remove key ${short}?`,
    removeText:
      'This browser can no longer sign with it, and there is no copy here to bring back. The record is deleted; its bytes may stay readable in this browser’s files until they are overwritten. So also revoke the key at the service; at the reference service, take its line out of the file of keys.',
    removeUsed: (services: string): string =>
      `${services}: signed for with this key. Nothing is asked there until another key is given to it.`,
    removeLast: 'It is the only key: nothing is asked until there is another.',
    removeFailed:
      'The key was not removed: the browser did not let its storage be changed. Close other tabs of this dashboard and try again.',
    makeFailed: 'The key could not be made.',
  },
  display: {
    theme: 'Theme',
    themes: { system: 'As the system', dark: 'Dark', light: 'Light' },
    contrast: 'Contrast',
    contrasts: { system: 'As the system', normal: 'Normal', more: 'High' },
    times: 'Times',
    timeZones: { utc: 'UTC', local: 'Local' },
    timesHint: 'Axes and tables. Every time shows both when pointed at.',
  },
  storage: {
    keptWhere: 'What is kept where',
    forget: 'Forget everything here',
    forgetText: 'Takes settings, keys and what was seen out of this browser, and begins anew.',
    forgetTitle: 'Forget everything in this browser?',
    forgetLines: [
      'Services, nodes and display settings of this browser are gone.',
      'Keys are removed, and there is no copy here to bring back. The browser clears this site’s files; free blocks of the disk may keep traces: revoke them at the service if this computer is not yours alone.',
      'What the server’s configuration provides stays, and so do the addresses that its proxy may ask.',
    ],
    forgetConfirm: 'Forget everything',
  },
} as const

export type NodeChanges = {
  readonly added: number
  readonly removed: number
  readonly renamed: number
  readonly retagged: number
}
