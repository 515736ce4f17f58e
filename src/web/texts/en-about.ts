import type { StorageStep, StorageTestFailure } from '#storage/self-test.ts'
import { historyTexts } from './en-history.ts'
import { counted, formatCount, joined } from './format.ts'

export const aboutTexts = {
  title: 'About',
  product: 'Product',
  version: 'Version',
  licence: 'Licence',
  licenceName: 'Apache-2.0',
  noWarranty: 'Open source, without warranty.',
  source: 'Served from',
  sourceText: (origin: string): string => `${origin} only`,
  packages: 'Third-party packages',
  packagesText: 'Each under its own licence.',
  packagesShow: (count: number): string => `Show all ${count}`,
  licencesLink: 'All licence texts',
  tests: 'Self-tests',
  testsText: 'The tests use a published test key and random bytes, and send nothing to any service.',
  testNow: 'Run',
  testing: 'Running',
  testAgain: 'Run again',
  testedAt: (time: string): string => `tested ${time}`,
  steps: 'Steps of the self-tests',
  states: {
    ok: 'passed',
    failed: 'failed',
    warned: 'passed with a warning',
    running: 'running',
    waiting: 'not run yet',
  },
  network: 'Signer isolated from the network',
  networks: {
    blocked: 'The browser blocked test requests to the dashboard server and to a data: URL.',
    possible:
      'The browser did not block a test request. Serve the dashboard with its own server, or check whether a proxy drops the Content-Security-Policy header.',
  },
  signing: 'Signatures correct',
  signings: {
    ways: { webcrypto: 'WebCrypto', javascript: 'JavaScript' },
    right: (way: string): string =>
      `Matches the published signature of RFC 8032, section 7.1, test 3. Signed with ${way}.`,
    wrong: 'Wrong signature for a published test key: services would reject it. Use a current browser.',
  },
  keyStorage: 'Key storage',
  keyStorages: {
    works: 'Bytes were written, read back and deleted.',
    fails:
      'Bytes written to the key database could not be read back, so keys would be lost on restart. Allow site data for this page, or leave the private window.',
    none: 'Over plain http, keys are kept in memory only.',
  },
  storage: 'History storage',
  storageWorks: (bytes: number): string =>
    `${formatCount(bytes)} bytes were written, read back after reopening the database, and deleted.`,
  storageSteps: {
    open: 'The database could not be opened.',
    write: 'Nothing could be written.',
    read: 'Written bytes could not be read.',
    delete: 'Written bytes could not be deleted.',
    remove: 'The database could not be deleted.',
  } satisfies Record<StorageStep, string>,
  storageWhy: {
    ...historyTexts.why,
    lost: 'The browser confirmed the write, but the bytes were gone.',
    changed: 'The bytes read back differ. The disk or this browser’s files may be damaged.',
    'not-deleted': 'Deleted bytes could still be read.',
  } satisfies Record<StorageTestFailure, string>,
  settings: 'Settings storage',
  settingsWorks: 'Text was written to local storage, read back and deleted.',
  settingsFails: 'Settings are lost on reload: local storage is full, or site data is blocked for this page.',
  signerSilent: 'The signer does not answer. Close other tabs of this dashboard and reload this page.',
  engineSilent: 'The engine does not answer. Reload this page.',
  signer: 'Signer',
  checking: 'Not reported yet.',
  facts: {
    network: 'Network',
    networks: {
      blocked: 'isolated: a test request at start was blocked',
      possible: 'not isolated: a test request at start was not blocked',
    },
    cryptography: 'Signing',
    cryptographies: {
      webcrypto: 'WebCrypto, keys not exportable',
      javascript: 'JavaScript, because the page was loaded over plain http',
    },
    worker: 'Worker',
    workers: { shared: 'shared by all tabs', dedicated: 'one per tab' },
    storage: 'Key storage',
    storages: { yes: 'available', no: 'blocked by the browser' },
  },
  kept: {
    title: 'Stored data',
    settings: 'Settings',
    settingsText: (services: number, nodes: number): string =>
      `This browser’s local storage: ${counted(services, 'service')}, ${counted(nodes, 'node')}.`,
    undo: 'Undo steps, unreadable settings',
    undoText: (steps: number, copies: number): string =>
      `Local storage: ${counted(steps, 'undo step')}, ${counted(copies, 'unreadable document')}.`,
    keys: 'Keys',
    noKeys: 'None',
    custody: {
      device: (count: number): string =>
        `${counted(count, 'key')} in this browser’s database, not exportable by scripts, but readable from this computer’s disk.`,
      vault: (count: number): string => `${counted(count, 'key')} in this browser’s database, encrypted.`,
      session: (count: number): string =>
        `${counted(count, 'key')} in memory only, until the last tab of this dashboard is closed.`,
    },
    tokens: 'Tokens',
    noTokens: 'None',
    tokensText: (session: number, device: number): string =>
      joined(' ', [
        session > 0 && `${formatCount(session)} in memory only, until the last tab is closed.`,
        device > 0 && `${formatCount(device)} unencrypted in this browser’s database.`,
      ]),
    seen: 'History',
    seenText: (state: string, used: string): string => `IndexedDB, ${state}: ${used}.`,
    server: 'Dashboard server',
    serverText:
      'Its data folder: the access token, services and receivers added in a browser, with the receivers’ secrets; with --notify, also alarms, unsent messages and a journal.',
    nowhere: 'Elsewhere',
    nowhereText: 'Nothing. Requests go only to your services and receivers.',
    change: 'Storage settings',
  },
} as const
