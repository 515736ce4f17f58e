import type { DocumentProblem } from '#protocol/settings.ts'
import { formatCount, formatSpan } from './format.ts'

const nodes = (count: number): string => (count === 1 ? '1 node' : `${formatCount(count)} nodes`)

/** The settings page. What it shares with the first screen is in `formTexts`. */
export const settingsTexts = {
  title: 'Settings',
  nav: 'Sections of the settings',
  sections: {
    services: 'Services',
    signing: 'Signing profile',
    nodes: 'Nodes',
    key: 'Key',
    display: 'Display',
    storage: 'Where things are kept',
    about: 'About',
  },
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
      heartbeat: 'Expected heartbeat, seconds',
      heartbeatHint: 'A heartbeat is late after several of these.',
      heartbeatShown: 'Expected heartbeat',
      participation: 'Participation is given as',
      participationShown: 'Participation',
      participationNames: {
        auto: 'told by its values',
        ratio: 'ratio, 0 to 1',
        percent: 'percentage, 0 to 100',
      },
      stakeUnit: 'Unit of stake',
      stakeUnitHint: 'The service names none. Left empty: the figure alone.',
      none: 'none',
      profile: 'Signing profile',
      ownProfile: 'its own, from the configuration',
    },
    problems: {
      'not-a-number': 'Give a number of seconds, such as 15 or 0.5.',
      'out-of-range': (minMs: number, maxMs: number): string =>
        `Between ${formatSpan(minMs)} and ${formatSpan(maxMs)}.`,
      'too-long': (max: number): string => `At most ${max} characters.`,
    },
    exists: 'This service is in the list already.',
    tooMany: (max: number): string => `At most ${max} services can be asked. Remove one first.`,
  },
  nodes: {
    lead: 'One per line: id, then a name if you like; own stands for the node of your key. A CSV file works too and is added at the end.',
    label: (service: string): string => `Nodes of ${service}`,
    hint: (count: number): string => `${nodes(count)}.`,
    fromServer: (count: number): string =>
      `${nodes(count)} more from this server’s configuration. List one here to give it another name.`,
    noService: 'Nodes belong to a service: add one first.',
    unchanged: 'No changes',
    changes: ({ added, removed, renamed }: NodeChanges): string =>
      [
        added > 0 && `adds ${formatCount(added)}`,
        removed > 0 && `removes ${formatCount(removed)}`,
        renamed > 0 && `renames ${formatCount(renamed)}`,
      ]
        .filter((part) => part !== false)
        .join(', '),
    tooMany: (max: number): string => `At most ${formatCount(max)} nodes can be watched in all.`,
  },
  key: {
    lead: 'Every request is signed. The secret half never leaves the part of this page that signs.',
    none: 'No key',
    noneText: 'Nothing is asked without one. Make one here or bring yours.',
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
      'This browser can no longer sign with it, and there is no copy here to bring back. What was on disk may stay readable in this browser’s files until they are overwritten, so also revoke the key at the service if this computer is not yours alone.',
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
    items: [
      {
        what: 'Settings',
        where: 'This browser’s local storage, on this computer. Other browsers have their own.',
      },
      {
        what: 'Key',
        where:
          'This browser’s database, as a key that can’t be exported; in memory only where the page is not secure.',
      },
      { what: 'What was seen', where: 'In memory, until this tab is closed or reloaded.' },
      {
        what: 'Added services',
        where:
          'The dashboard’s server keeps their addresses in its data folder, so that it may pass requests on.',
      },
    ],
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
  about: {
    version: 'Version',
    licence: 'Licence',
    licenceName: 'Apache-2.0',
    signer: 'The part that signs',
    checking: 'It has not reported yet.',
    failed:
      'It did not start, so nothing can be signed. Reload this page; if it stays so, try a current browser.',
    network: 'Network',
    networks: {
      blocked: 'cut off: it tried a request at its start, and the browser stopped it',
      possible: 'not cut off: it tried a request at its start, and nothing stopped it',
    },
    cryptography: 'Signing',
    cryptographies: {
      webcrypto: 'by the browser, with keys that can’t be exported',
      javascript: 'by this page’s own code, because the page came over plain http',
    },
    worker: 'Runs',
    workers: { shared: 'once for all tabs', dedicated: 'in each tab on its own' },
    storage: 'Keys can be kept',
    storages: { yes: 'yes', no: 'no, this browser refuses storage' },
    packages: 'Packages in this product',
    packagesShow: (count: number): string => `Show all ${count}`,
    packagesText: 'Others’ work that is part of what your browser loads, each under its own licence.',
  },
} as const

export type NodeChanges = { readonly added: number; readonly removed: number; readonly renamed: number }
