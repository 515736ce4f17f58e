import type { StorageStep, StorageTestFailure } from '#history/store/self-test.ts'
import { historyTexts } from './en-history.ts'
import { formatCount } from './format.ts'

const some = (count: number, one: string, many: string): string =>
  count === 1 ? `one ${one}` : `${formatCount(count)} ${many}`

/** The page that says what this product is, what it keeps, and whether its parts work. */
export const aboutTexts = {
  title: 'About',
  product: 'This product',
  version: 'Version',
  licence: 'Licence',
  licenceName: 'Apache-2.0',
  noWarranty: 'Open source; use, change and pass it on. It comes without a warranty.',
  source: 'Runs from',
  sourceText: (origin: string): string => `${origin}, and loads nothing from anywhere else`,
  packages: 'Packages in this product',
  packagesText: 'Others’ work that is part of what your browser loads, each under its own licence.',
  packagesShow: (count: number): string => `Show all ${count}`,
  licencesLink: 'All licence texts',
  tests: 'Self-tests',
  testsText:
    'They try what this page depends on, with nothing of yours: a published test key, and random bytes that are deleted again. Nothing is sent to a service.',
  testNow: 'Test now',
  testing: 'Testing',
  testAgain: 'Test again',
  testedAt: (time: string): string => `tested ${time}`,
  steps: 'Steps of the self-tests',
  states: {
    ok: 'passed',
    failed: 'failed',
    warned: 'passed, with a remark',
    running: 'being tested',
    waiting: 'not tested yet',
  },
  network: 'The part that signs is cut off',
  networks: {
    blocked: 'It tried to reach this dashboard’s server and an address of its own; the browser stopped both.',
    possible:
      'Something could leave it. Run this dashboard with its own server, which sends the policy that cuts it off, or check what a server in front of it does to headers.',
  },
  signing: 'Signs right',
  signings: {
    right: (how: string): string => `RFC 8032, section 7.1, test 3: the published signature, ${how}.`,
    wrong:
      'The signature of a published test key is not the published one, so services would refuse what is signed here. Use a current browser.',
  },
  keyStorage: 'Keys can be kept',
  keyStorages: {
    works: 'Bytes were written to the database of keys, read back the same, and deleted.',
    fails:
      'Bytes that were written to the database of keys did not come back. A key that is made now would be gone after a restart: allow site data for this page, or leave the private window.',
    none: 'This page came over plain http, where keys are in memory only. Nothing is written.',
  },
  storage: 'What is seen can be kept',
  storageWorks: (bytes: number): string =>
    `${formatCount(bytes)} bytes were written to a database, read back the same after it was closed and opened anew, and deleted with it.`,
  storageSteps: {
    open: 'No database could be opened.',
    write: 'Nothing could be written.',
    read: 'What was written could not be read.',
    delete: 'What was written could not be deleted.',
    remove: 'The database could not be removed again.',
  } satisfies Record<StorageStep, string>,
  storageWhy: {
    ...historyTexts.why,
    lost: 'The browser said that the bytes were kept, and then had none.',
    changed:
      'The browser gave other bytes back than it was given. The disk or this browser’s files may be damaged.',
    'not-deleted': 'The browser still gives what it said was deleted.',
  } satisfies Record<StorageTestFailure, string>,
  settings: 'Settings can be kept',
  settingsWorks: 'A text was written to this browser’s local storage, read back the same, and deleted.',
  settingsFails:
    'This browser keeps no settings: a reload forgets them. Its storage for this page is full or blocked, as in a private window.',
  signerSilent:
    'It does not answer, so nothing can be signed. Close other tabs of this dashboard and reload this page.',
  engineSilent: 'The part that watches does not answer. Reload this page.',
  signer: 'The part that signs',
  checking: 'It has not reported yet.',
  facts: {
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
  },
  kept: {
    title: 'What is kept where',
    settings: 'Settings',
    settingsText: (services: number, nodes: number): string =>
      `In this browser’s local storage, on this computer: ${some(services, 'service', 'services')} and ${some(nodes, 'node', 'nodes')} of its own. Other browsers have their own settings.`,
    undo: 'Steps to undo, copies',
    undoText: (steps: number, copies: number): string =>
      `Beside the settings: ${some(steps, 'step back', 'steps back')}, ${some(copies, 'document that could not be read', 'documents that could not be read')}.`,
    keys: 'Keys',
    noKeys: 'There is none. Nothing is kept.',
    custody: {
      device: (count: number): string =>
        `${some(count, 'key', 'keys')} in this browser’s database, as ${count === 1 ? 'one that' : 'such that'} no script can export; readable by somebody with this computer’s disk.`,
      vault: (count: number): string =>
        `${some(count, 'key', 'keys')} in this browser’s database, encrypted with what unlocks ${count === 1 ? 'it' : 'them'}.`,
      session: (count: number): string =>
        `${some(count, 'key', 'keys')} in memory only, until the last tab of this dashboard is closed.`,
    },
    tokens: 'Tokens',
    noTokens: 'There is none.',
    tokensText: (session: number, device: number): string =>
      [
        session > 0 && `${formatCount(session)} in memory only, until the last tab is closed.`,
        device > 0 && `${formatCount(device)} readable in this browser’s database, on this computer.`,
      ]
        .filter((part) => part !== false)
        .join(' '),
    seen: 'What was seen',
    seenText: (state: string, used: string): string => `It ${state}, in databases on this computer: ${used}.`,
    server: 'Added services',
    serverText:
      'The dashboard’s server keeps the addresses of services that were added in a browser, in its data folder, so that it may pass requests on.',
    nowhere: 'Elsewhere',
    nowhereText: 'Nothing. Signed requests go to your services, and nothing of this goes anywhere else.',
    change: 'Change what is kept, or forget everything',
  },
} as const
