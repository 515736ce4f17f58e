import { DEFAULTS } from '#base/defaults.ts'
import { TAG_CHARS_MAX } from '#record/typed-names.ts'
import { counted, joined } from './format.ts'

export const firstRunTexts = {
  brand: 'immune',
  title: 'Watch your first node',
  lead: 'Three steps. Requests go only to the service you name, and the key stays in this browser.',
  leadWithout: 'Three steps. Requests go only to the service you name.',
  done: 'Done',
  start: 'Start watching',
  starting: 'Starting',
  service: {
    title: 'Where is the service?',
    legend: 'Service',
    demo: 'Demo service on this computer',
    demoAside: { reached: 'reachable', trying: 'testing', failed: 'not reachable' },
    demoText: (count: number): string =>
      `${count === 1 ? 'One simulated node' : `${numberWord(count)} simulated nodes`} with real signature checks.`,
    own: 'My service',
    given: (names: string): string => `${names}, from the server configuration.`,
    kept: (names: string): string => `${names}, from the dashboard settings in this browser.`,
  },
  key: {
    title: 'Which key signs?',
    legend: 'Key',
    make: 'Generate a key',
    makeDemo: 'Generate a demo key',
    makeDemoText: 'The demo service trusts it at once.',
    makeText: 'Generated here and never sent. Register its public key with your service.',
    makeNow: 'Generate now',
    makeNowHint: 'Lets you register the public key before you start.',
    bring: 'Import an Ed25519 key',
    bringText:
      'A file or pasted text: a seed in hex or base64, or an openssl, ssh-keygen or wallet key. Its type and public key are shown before you save it.',
    existing: 'Use the key in this browser',
    existingText: 'Generated or imported earlier.',
    alsoFor: 'Also use this key for',
    without: {
      server: 'None in this browser: the dashboard server signs, with key',
      token: 'None: this service requires a token. Enter it once watching has started.',
      none: 'None: this service requires no signature.',
    },
    madeLabel: 'Generated key',
    broughtLabel: 'Imported key',
  },
  signing: {
    title: 'How are requests signed?',
    profile: 'Signing profile',
    hint: 'Choose the one that the service’s documentation describes; the dashboard then tests the connection again.',
    found: 'Found profile',
  },
  nodes: {
    title: 'Which nodes?',
    label: 'Nodes',
    placeholder: '0x7f3a9c1eb48d02e1  vela-007',
    hint: (count: number): string =>
      count === 0
        ? 'One per line: id, then optionally a name; or a CSV or JSON file. Empty: the default node.'
        : `${counted(count, 'node')}. One per line: id, then optionally a name; or a CSV or JSON file.`,
    given: (count: number): string => `${counted(count, 'node')}, already configured.`,
  },
  firstAnswer: {
    title: (name: string): string => `${name}, first answer`,
    heartbeat: 'Heartbeat',
    participation: 'Participation',
    stake: 'Stake',
    threatResponses: 'Threat responses',
    unreadable: 'not usable',
    ago: (age: string): string => `${age} ago`,
    /** Uncertainty of the age as returned by `doubtOf`. */
    doubtful: (age: string, doubt: string): string =>
      doubt === 'unchecked'
        ? `${age} ago by this computer’s clock only: the service’s time can’t be read`
        : `${age} ± ${doubt} ago`,
    ahead: (age: string): string => `unknown: ${age} in the future, so the clocks disagree`,
    uncertain: (doubt: string): string => `uncertain, ± ${doubt}`,
    noAge: '–',
  },
  blocked: {
    address: 'Step 1: enter the URL of your service.',
    key: 'Step 2: import a key and save it, or generate one.',
    'key-service': 'Step 2: the key does not sign for this service yet. Allow it, or choose another key.',
    nodes: 'Step 3: correct or remove the marked lines.',
    signer:
      'The signer did not start, so requests can’t be signed. Reload this page; if that does not help, use a current browser.',
    'make-failed': 'The key could not be generated. Reload this page and try again.',
    allow: 'The service can’t be polled yet; see the message beside the test.',
  },
  restoreLink: 'Restore from a backup',
  settingsLink: 'Settings',
} as const

/** Texts shared by the first-run page and the settings. */
export const formTexts = {
  address: {
    label: 'Base URL',
    placeholder: 'https://api.example.net',
    via: 'Connection',
    proxy: 'Through the dashboard server',
    direct: 'Directly',
    proxyHint: 'The dashboard server forwards requests, so the service needs no CORS headers.',
    directHint: 'The browser connects to the service, which must allow this page (CORS).',
    noProxy: 'This server accepts no services from this browser, so new ones are polled directly.',
    plain: 'Plain http: anyone on the network path can read answers and delay requests.',
    problems: {
      empty: 'Enter the base URL of the service, such as https://api.example.net.',
      'not-a-url': 'Not a valid URL. Expected https://host, with port and path if needed.',
      'not-http': 'Only http and https are supported.',
      'has-user': 'Remove the user name and password.',
      'has-query': 'Remove ? or # and everything after it.',
      'too-long': 'At most 300 characters.',
      'whole-endpoint': 'Remove /node/status: the dashboard adds it to each request.',
      'mixed-content':
        'Mixed content: a page loaded over https can’t connect to plain http. Use the dashboard server, or an https URL.',
      underscore:
        'A browser can’t connect to a host with an underscore: the engine’s Content-Security-Policy can’t name it. Use the dashboard server, or a host name without an underscore.',
    },
  },
  allow: {
    title: 'Service not allowed by the dashboard server',
    noAnswerTitle: 'The dashboard server does not answer',
    'not-allowed':
      'The dashboard server accepts no services from this browser. Add this one to its configuration and reload this page.',
    'no-answer': 'Check that it is running and that this computer can reach it.',
    refused: 'The dashboard server rejected the service.',
    answer: 'Answer:',
    fileLabel: 'Line for “services” in the --config file',
  },
  nodes: {
    chooseFile: 'Choose or drop a file',
    fileProblems: {
      'too-large': 'Too large for a node list.',
      'other-encoding':
        'This file isn’t UTF-8. Save it as UTF-8; in Excel, as “CSV UTF-8 (Comma delimited)”.',
    },
    marked: (bad: number, shortened: number): string =>
      joined(', ', [
        bad > 0 && `${counted(bad, 'line')} ignored`,
        shortened > 0 && `${counted(shortened, 'line')} with a shortened name`,
      ]) + ':',
    shortened: 'the name is cut to 60 characters',
    line: (line: number): string => `Line ${line}`,
    more: (count: number): string => `and ${count.toLocaleString('en-GB')} more`,
    unknownServices: 'Services in this list that are not set up here:',
    addService: 'Add',
    addServiceOf: (baseUrl: string): string => `Add service ${baseUrl}`,
    serviceByUrl: 'a name, not a URL: add the service in Settings',
    problems: {
      empty: 'no id',
      'no-prefix': 'an id begins with 0x',
      'not-hex': 'after 0x, an id has only hex digits',
      'too-long': 'an id has at most 128 digits',
      'line-too-long': `a line has at most ${DEFAULTS.nodeLineCharsMax.toLocaleString('en-GB')} characters`,
      'bad-tag': `a tag begins with a letter, has at most ${TAG_CHARS_MAX} characters and no space, comma, semicolon, vertical bar, quote or #`,
      'too-many-tags': 'more than 16 tags',
      repeated: 'duplicate node',
      rounded: 'a spreadsheet has rounded this id: format the column as text, and copy it again',
      'not-json': 'not valid JSON from here: check brackets, commas and quotes',
      'not-a-node': 'not a node: expected an id, or an object with id, name and tags as strings',
      'notes-too-long': `notes have at most ${DEFAULTS.notesCharsMax.toLocaleString('en-GB')} characters`,
      'unknown-service': 'its service is not set up here',
      'too-many': `at most ${DEFAULTS.nodesMax.toLocaleString('en-GB')} nodes can be watched`,
    },
  },
  key: {
    file: 'Key file',
    filePrompt: 'Choose or drop a file',
    paste: 'Or paste it',
    pastePlaceholder: 'hex, base64, PEM, JSON',
    pasteHint:
      'The field is cleared when the key is read. Memory and the clipboard may keep a copy; a file is safer.',
    read: 'Read key',
    reading: 'Reading',
    brought: 'Key imported. Public key:',
    made: 'Key generated. Public key:',
    publicKey: 'Public key',
    undo: 'Discard key',
    register: 'To register it, e.g. at the reference service:',
    registerLine: (publicKey: string): string => `npm run reference -- keys add ${publicKey}`,
    problems: {
      dropped: 'Discarded: an unsaved key is kept for five minutes, and only one at a time. Import it again.',
      'not-kept': 'The key was read, but this browser refused to store it.',
      'chain-key':
        'Wallet and validator keys are not stored on the device. Choose “In the vault” or “For this session”, or generate a read-only key.',
      'not-secure':
        'Keys can’t be stored over plain http: choose “For this session”, or open the dashboard over https or on localhost.',
      'passphrase-short': 'At least 12 characters.',
      'too-many': 'Too many keys in this browser. Remove one in the settings first.',
      failed: 'The signer does not answer. Reload this page.',
    },
  },
  custody: {
    title: 'Key storage',
    device:
      'In this browser, not exportable: scripts can’t read it, but one running in this page could sign with it. Anyone who can read this computer’s disk could copy it, so prefer a read-only key.',
    vault: 'Encrypted in this browser. Unlocked by your passphrase, locked when idle and after a restart.',
    session: 'In memory only, until the last tab of this dashboard is closed.',
    planned: {
      device:
        'In this browser, not exportable: scripts can’t read it. Anyone who can read this computer’s disk could copy it, so prefer a read-only key.',
      session:
        'In memory only, until the last tab of this dashboard is closed: the page was loaded over plain http, or this browser stores nothing.',
    },
  },
  insecure: {
    title: 'Not a secure context: the page was loaded over plain http',
    meaning:
      'This page’s code keeps the key in memory until the last tab is closed, and anyone on the network path could change this page. To store a key, open the dashboard in one of these ways:',
    ways: {
      local: 'On the computer that runs the dashboard server:',
      tunnel: 'From another computer: run this command there, then open the URL above:',
      https: 'Or over https.',
    },
  },
  openNetwork: {
    title: 'The signer is not isolated from the network',
    meaning:
      'The browser did not block a test request from the signer. The host must send the signer’s Content-Security-Policy, as the dashboard server does.',
  },
} as const

const numberWord = (count: number): string =>
  ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'][count] ?? String(count)
