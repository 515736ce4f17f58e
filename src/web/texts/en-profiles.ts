import type { PresetId } from '#signing/preset-ids.ts'
import type { FindingCode, Grade } from '#signing/profile-lint.ts'

/** Where a person sets how requests are signed. */
export const profileTexts = {
  title: 'Signing profile',
  lead: 'The interface leaves open what is signed and how it is sent. A profile fills that in, as data: texts with placeholders, no code. What is signed is always the service’s own address, also when this dashboard’s server passes the request on.',
  noService: 'A profile belongs to a service: add one first.',
  service: 'Service',
  compose: 'What is signed, and how it is sent',
  start: 'Start from',
  startHint: (count: number): string =>
    `${count} ready-made profiles. What you change is kept apart from them.`,
  own: 'Your own',
  name: 'Profile name',
  kind: 'Kind',
  kinds: {
    template: 'a text',
    jwt: 'JSON Web Token',
    rfc9421: 'HTTP Message Signature (RFC 9421)',
    none: 'nothing is signed',
  },
  message: 'Message to sign',
  messageHint:
    'Placeholders are filled in at the moment of asking. Line end: LF. Encoding: UTF-8. Write {{ or }} for a brace.',
  insert: (name: string): string => `Insert ${name}`,
  placeholders: 'Placeholders for the message',
  headerPlaceholders: 'Placeholders for headers',
  prehash: 'Hash before signing',
  prehashes: { none: 'none', 'sha-256': 'SHA-256', 'sha-512': 'SHA-512' },
  nodeId: 'node_id in the message',
  nodeIds: {
    typed: 'as typed',
    lower: 'lower case',
    'typed-no-0x': 'as typed, without 0x',
    'lower-no-0x': 'lower case, without 0x',
  },
  token: 'Token',
  tokenHint:
    'Stands for {token} in the headers, such as Authorization: Bearer {token}. It is typed below once this is saved, and never is part of the profile.',
  tokens: { no: 'none is sent', 'operator-typed': 'a fixed token that I type' },
  alg: 'Algorithm name',
  jwtHeader: 'Header members',
  jwtHeaderHint: 'One a line, name: value. alg comes first by itself.',
  claims: 'Claims',
  claimsHint:
    'One a line, name: value; (number) behind a name makes its value a number. A claim of a node that is not asked for is left out.',
  label: 'Label',
  components: 'Covered components',
  componentsHint:
    'One a line: @method, @authority, @path, @query, @target-uri, or a header of this profile in lower case.',
  params: 'Parameters',
  paramsHint: 'In this order: created, expires, nonce, keyid, alg, tag.',
  keyid: 'Key id',
  tag: 'Tag',
  headers: 'Headers',
  headersHint: 'One a line, name: value.',
  validity: 'Valid for, seconds',
  validityHint: 'Needed by {exp.s}. Empty: none.',
  window: 'Time window, seconds',
  windowHint: 'Needed by {ts.window}. Empty: none.',
  reuse: 'Same signature for, seconds',
  reuseHint: 'Empty: a new one for every request.',
  save: 'Save',
  saved: 'Saved. Requests to this service are signed this way from now on.',
  discard: 'Discard',
  unsaved: 'Not saved yet',
  problems: 'This profile can’t be used yet:',
  preview: 'What will be sent',
  previewNote: 'updates as you type',
  throwAway:
    'Signed with a throw-away key made on this page. Your own key signs only profiles that you save or test.',
  bytes: (count: number): string => `Message, ${count} ${count === 1 ? 'byte' : 'bytes'}`,
  view: 'Show the message as',
  views: { text: 'Text', hex: 'Hex' },
  sha256: 'SHA-256',
  signature: 'Signature',
  publicKey: 'Public key',
  nothingSigned: 'none',
  request: 'Request',
  curl: 'As a curl command, with this signature and no key',
  curlUnsigned: 'As a curl command; put the token where [token] stands',
  unsigned: 'No secret is part of this request.',
  tokenShown: 'Wherever [token] stands here, the request carries your token.',

  verified: 'Checked here: the signature verifies with this public key.',
  notVerified: 'The signature does not verify. Please report this.',
  notShown: {
    waiting: 'Filled in when the profile can be used.',
    broken: 'No example could be made here.',
  },
  fillProblem: (at: string): string => `The example can’t be filled in at ${at}.`,
  cors: 'For the service’s owner: CORS',
  corsProxy: 'None of these headers needs CORS: this dashboard’s own server passes them on.',
  corsDirect: (origin: string): string =>
    `This page asks the service itself, so the service has to answer OPTIONS with these lines, and the first of them also on every answer, refusals included. Asked from ${origin}.`,
  findings: 'What this profile binds',
  grade: (grade: Grade): string => `grade ${grade}`,
  grades: {
    A: 'time, single use, service and node are all bound',
    B: 'time, service and node are bound; a copy works until the time is over',
    C: 'not all of service and node are bound',
    D: 'only the time is bound',
    E: 'no time is bound: a signature can be held back and used later',
    F: 'nothing limits when a signature can be used',
  } satisfies Readonly<Record<Grade, string>>,
  source: 'Described in',
  severity: { error: 'Error', warning: 'Warning', info: 'Note' },
  json: 'As JSON',
  jsonLabel: 'The profile as JSON, to share; it holds no secret',
  jsonHint: 'Paste one here to use it: the example shows its exact bytes before anything is saved.',
  jsonFile: 'Profile file',
  jsonPrompt: 'Choose or drop a profile as JSON',
  jsonNot: 'This is not JSON.',
  jsonTooLong: 'This file is too long for a profile.',
  find: {
    open: 'Find the one that works',
    title: 'Find the one that works',
    warning: (count: number): string =>
      `Tries ${count} usual ways, each once, one a second, and stops at the first that is accepted. Each try hands the service one more signature of your key, the weak ways too: do this only with a service that you trust.`,
    limits: 'At most one round an hour. Nothing starts by itself.',
    list: 'The ways that are tried, in this order',
    start: 'Start',
    stop: 'Stop',
    close: 'Close',
    running: 'Trying…',
    use: 'Use this one',
    found: (title: string): string => `Accepted: ${title}.`,
    none: 'None of them was accepted. The key may not be registered, or the service wants something else: ask its owner.',
    stopped: 'Stopped.',
    clock:
      'Not started: the service’s time is more than ten minutes from this screen’s, so every way would be refused for its time. Set this computer’s clock, or press “Sign with the service’s time” in the message about it first.',
    failed:
      'Stopped: the answer says nothing about the signature, so further tries would hand out signatures for nothing. Test the connection first.',
    broken: 'The search could not run. Try again after a reload.',
    tooSoon: (minutes: number): string =>
      `One round an hour: the next one can start in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    states: {
      waiting: 'not tried',
      asking: 'asking',
      accepted: 'accepted',
      refused: 'refused',
      withheld: 'not tried: a chain’s key signs no text of this kind',
      failed: 'no answer that says anything',
    },
    answer: (status: number): string => `HTTP ${status}`,
  },
} as const

/** What each preset is for, in a sentence. */
export const PRESET_NOTES: Readonly<Record<PresetId, string>> = {
  'bearer-v1': 'The default: eight lines bind method, address, node, time and a number used once.',
  'bearer-window': 'Nothing but the Authorization header; the time is known to half a minute.',
  'jwt-eddsa': 'A token for one request, for services with a JWT library.',
  rfc9421: 'The standard way to sign a request, for services that know it.',
  'wallet-timestamp': 'As some wallet services do it: another service could use the signature too.',
  'timestamp-only': 'Proves only that the key was there at that time.',
  'bearer-node-id':
    'The same value for ever: who sees it once can use it always. Only for services that know nothing else.',
}

/** What the linter found, and what follows from it. */
export const FINDING_TEXTS: Readonly<Record<FindingCode, string>> = {
  'nothing-signed': 'Nothing is signed: anybody can ask the same.',
  'secret-sent':
    'Nothing is signed; a secret is sent. Whoever sees one request has the token and can use it from anywhere, until the service takes it back.',
  'token-unbound':
    'Nothing limits it: no time, no service address, no node and no number used once go with it.',
  'token-not-sent': 'No header carries the token: write {token} where the service expects it.',
  'permanent-password':
    'Neither a time nor a number used once is signed: the signature is a permanent password.',
  'no-time': 'No time is signed: a signature can be held back and used at any later time.',
  'no-host':
    'The service’s own address is not signed: who receives the signature can use it at another service.',
  'no-node': 'The node is not signed: the signature fits every node.',
  replayable: 'No number used once is signed: a copy of the request works until its time is over.',
  'reused-nonce':
    'A signature that is sent again brings its number used once again: a strict service refuses it.',
  'no-fixed-tag':
    'The message does not begin with eight fixed characters, so it could be something else in disguise. A key of a chain does not sign it.',
  'signature-not-sent': 'No header carries the signature.',
  'time-not-sent': 'A time is signed but not sent: the service can’t know which.',
  'nonce-not-sent': 'A number used once is signed but not sent: the service can’t know which.',
  'key-not-sent': 'No header says whose key it is: the service has to know it by the node.',
  'header-dropped': 'Browsers drop this header without a word.',
  'fixed-secret': 'A fixed value would lie open in the settings and in every export.',
  'headers-too-long': 'The headers are longer than 4 KiB in all: servers refuse that.',
}
