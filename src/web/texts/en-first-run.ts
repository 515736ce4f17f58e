import { DEFAULTS } from '#base/defaults.ts'

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`)

/** The first screen: three questions, each with an answer to start from. */
export const firstRunTexts = {
  brand: 'immune',
  title: 'Watch your first node',
  lead: 'Three answers and the screen is live. Nothing is sent anywhere except to the service you name, and the key stays in this browser.',
  answered: 'Answered',
  start: 'Start watching',
  starting: 'Starting',
  service: {
    title: 'Where is the service?',
    legend: 'Service',
    demo: 'Demo service on this computer',
    demoAside: { reached: 'works now', trying: 'trying', failed: 'does not answer' },
    demoText: (count: number): string =>
      `${count === 1 ? 'One made-up node' : `${numberWord(count)} made-up nodes`}, signatures really verified. Good for a look round and for teaching.`,
    own: 'My service',
    given: (names: string): string => `${names}, from this server’s configuration.`,
    kept: (names: string): string => `${names}, from the settings in this browser.`,
  },
  key: {
    title: 'Which key signs?',
    legend: 'Key',
    make: 'Make a new key',
    makeDemo: 'Make a new demo key',
    makeDemoText: 'The demo service trusts it at once.',
    makeText: 'Made here and never sent. You register its public key at your service.',
    makeNow: 'Make it now',
    makeNowHint: 'Then you can register it before you start.',
    bring: 'Bring my Ed25519 key',
    bringText:
      'A file or a paste: a seed in hex or base64, or a key of openssl, ssh-keygen or a wallet. What it is and its public key are shown before it is kept.',
    existing: 'Use the key of this browser',
    existingText: 'It was made or brought here earlier.',
    madeLabel: 'Made here',
    broughtLabel: 'Brought',
  },
  nodes: {
    title: 'Which nodes?',
    label: 'Nodes',
    placeholder: '0x7f3a9c1eb48d02e1  vela-007',
    hint: (count: number): string =>
      count === 0
        ? 'Left empty: the node of your key. Else one per line: id, then a name if you like. A CSV file works too.'
        : `${nodes(count)}. One per line: id, then a name if you like. A CSV file works too.`,
    given: (count: number): string => `${nodes(count)}, already configured.`,
  },
  firstAnswer: {
    title: (name: string): string => `${name}, first answer`,
    ownNode: 'The node of your key',
    heartbeat: 'Heartbeat',
    participation: 'Participation',
    stake: 'Stake',
    threatResponses: 'Threat responses',
    unreadable: 'not readable',
    ago: (age: string): string => `${age} ago`,
    /** How the age is known, see `doubtOf`. */
    doubtful: (age: string, doubt: string): string =>
      doubt === 'unchecked'
        ? `${age} ago by this computer’s clock alone, unchecked: the service’s time can’t be read`
        : `${age} ± ${doubt} ago`,
    ahead: (age: string): string => `not known: ${age} in the future, so the clocks disagree`,
    uncertain: (doubt: string): string => `not known closer than ± ${doubt}`,
    noAge: '–',
  },
  blocked: {
    address: 'Give the address of your service first.',
    key: 'Bring your key first, or have a new one made.',
    nodes: 'Correct the marked lines, or take them out.',
    signer:
      'The part of this page that holds keys did not start, so nothing can be signed. Reload the page; if it stays so, try a current browser.',
    'make-failed': 'The key could not be made. Reload the page and try again.',
    allow: 'The service can’t be asked yet; the message beside the test says why.',
  },
  restoreLink: 'Restore from a backup',
  settingsLink: 'Settings',
} as const

/** Fields, messages and lists that the first screen and the settings share. */
export const formTexts = {
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Not copied: select it and copy by hand',
  address: {
    label: 'Base URL',
    placeholder: 'https://api.example.net',
    via: 'How it is asked',
    proxy: 'Through this server',
    direct: 'Directly',
    proxyHint:
      'This dashboard’s server passes requests on; the service needs to allow nothing. Signatures are still made for the service, in this browser.',
    directHint: 'The browser asks the service itself, which has to allow this page (CORS).',
    noProxy: 'This server takes services from its configuration file only, so a new one is asked directly.',
    plain:
      'Plain http: anybody on the way can read the answers and hold a request back. A signature is good once and for a minute only.',
    problems: {
      empty: 'Give the base URL of the service, such as https://api.example.net.',
      'not-a-url': 'This is no address. It looks like https://host, with a port or a path where needed.',
      'not-http': 'The service speaks http or https; the address has to begin with one of them.',
      'has-user': 'Leave out the user name and password: the signature says who asks.',
      'has-query': 'Leave out everything from ? or # on.',
      'too-long': 'An address has at most 300 characters.',
      'whole-endpoint': 'Leave out /node/status: it is added for each request.',
      'mixed-content':
        'This page came over https, so the browser does not let it ask plain http directly. Ask through this dashboard’s server, or give an https address.',
    },
  },
  allow: {
    title: 'This dashboard’s server may not ask this service',
    'not-allowed':
      'This dashboard’s server takes services from its configuration file only. Add this one there; the page sees it after a reload.',
    'no-answer': 'This dashboard’s own server does not answer. Start it again where it was started.',
    refused: 'This dashboard’s server refused the service.',
    answer: 'It said:',
    fileLabel: 'Line for “services” in the file that --config names',
  },
  nodes: {
    chooseFile: 'Choose or drop a file',
    fileTooLarge: 'This file is too large to be a list of nodes.',
    marked: (count: number): string => (count === 1 ? '1 line is not used:' : `${count} lines are not used:`),
    line: (line: number): string => `Line ${line}`,
    more: (count: number): string => `and ${count} more`,
    problems: {
      empty: 'no id at the beginning',
      'no-prefix': 'an id begins with 0x',
      'not-hex': 'after 0x come the digits 0 to 9 and a to f only',
      'too-long': 'an id has at most 128 digits',
      'bad-tag': 'not a tag: a letter first, then no space, comma, quote or #',
      'too-many-tags': 'more than 16 tags',
      'name-too-long': 'a name has at most 60 characters',
      repeated: 'this node stands further up already',
      'too-many': `at most ${DEFAULTS.nodesMax.toLocaleString('en-GB')} nodes can be watched`,
    },
  },
  key: {
    file: 'Key file',
    filePrompt: 'Choose or drop a file',
    paste: 'Or paste it',
    pastePlaceholder: 'hex, base64, PEM, JSON',
    pasteHint:
      'The field is emptied as soon as it is read. Memory and the clipboard may still keep a copy; a file is safer.',
    read: 'Read it',
    reading: 'Reading',
    brought: 'Key read. Its public key:',
    made: 'Key made. Its public key:',
    publicKey: 'Public key',
    undo: 'Forget it again',
    register: 'To register it at a service such as the reference service:',
    registerLine: (publicKey: string): string => `npm run reference -- keys add ${publicKey}`,
    problems: {
      dropped:
        'It was forgotten: a key that was read waits for five minutes, and for one at a time. Bring it again.',
      'not-kept': 'The key was read but could not be kept. This browser refuses to store it.',
      'chain-key':
        'A key of a chain wallet or validator is not put where whoever has this computer’s disk can read it. Choose the vault or the session, or better make a key that may only read status.',
      'not-secure':
        'On plain http nothing is kept: choose the session, or open the dashboard in a secure way.',
      'passphrase-short': 'A passphrase has at least 12 characters.',
      'too-many': 'This browser holds as many keys as it may. Remove one in the settings first.',
      failed: 'The part of this page that holds keys does not answer. Reload the page.',
    },
  },
  custody: {
    title: 'Where the key is kept',
    device:
      'In this browser’s storage, as a key that can’t be exported: no page or script can read it, but one that runs here could have requests signed. Somebody who can read this computer’s disk could copy it. Best use a key that may only read status.',
    vault:
      'Encrypted in this browser’s storage. It opens with your passphrase, stays open while somebody is here, and is locked after a restart.',
    session: 'In memory only, until the last tab of this dashboard is closed. Nothing is written to disk.',
    planned: {
      device:
        'In this browser’s storage, as a key that can’t be exported: no page or script can read it. Somebody who can read this computer’s disk could copy it. Best use a key that may only read status.',
      session:
        'In memory only, until the last tab of this dashboard is closed: this browser keeps nothing here.',
    },
  },
  insecure: {
    title: 'This page came over plain http, so the browser withholds its key functions',
    meaning:
      'The key is then held in memory by this page’s own code until the last tab is closed, and whoever is on the way could change this page. To keep a key, open the dashboard in one of these ways:',
    ways: {
      local: 'On the same computer:',
      tunnel: 'From another one, through a tunnel; then open the address above:',
      https: 'Or put https in front of it.',
    },
  },
  openNetwork: {
    title: 'The part that holds the key is not cut off from the network',
    meaning:
      'It tried to send a request and was not stopped. The host of this page has to send the signer’s own Content-Security-Policy; the dashboard’s server does.',
  },
} as const

/** Small numbers in words, as at the beginning of a sentence. */
const numberWord = (count: number): string =>
  ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'][count] ?? String(count)
