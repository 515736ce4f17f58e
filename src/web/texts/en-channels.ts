import type { ChannelLevel } from '#alarms/channels.ts'
import type { DeliveryFailure } from '#alarms/delivery.ts'
import type { ProxyFailure } from '#protocol/ports.ts'
import type { ReceiverUrlProblem } from '#settings/receiver.ts'

const RELAY: Readonly<Partial<Record<ProxyFailure, string>>> = {
  refused: 'does not accept connections',
  dns: 'its name was not found',
  tls: 'its certificate was not accepted',
  reset: 'the connection broke',
  timeout: 'did not answer in time',
  'not-allowed': 'this server does not have it on its list any more: add it again',
}

const status = (code: number, answer: string): string =>
  answer === '' ? `answered ${code}` : `answered ${code}: ${answer}`

/** The section of the settings about telling people. */
export const channelTexts = {
  title: 'Telling people',
  lead: 'How this browser calls somebody. Other browsers have their own; in several tabs of this one only one tells.',
  notKept: 'In force in this tab. The browser would not keep it, so a reload forgets it.',
  levels: {
    critical: 'critical',
    warning: 'warning and above',
    info: 'info and above',
    off: 'never',
  } satisfies Record<ChannelLevel, string>,
  sound: {
    title: 'Sound',
    level: 'Sounds for',
    volume: 'Volume',
    volumes: { low: 'low', middle: 'middle', high: 'high' },
    try: 'Try',
    tries: { critical: 'Critical', warning: 'Warning', info: 'Info' },
    tryOf: (severity: string): string => `Sound as for: ${severity}`,
    state: 'Now',
    states: {
      trying: 'being tried',
      ready: 'can be heard',
      elsewhere: 'made by another tab of this browser',
      blocked: 'blocked by the browser until somebody clicks or types on this page',
      unsupported: 'this browser can make none',
    },
    repeats: 'Repeats every 30 s until somebody acknowledges the alarm.',
    kiosk:
      'A screen that nobody touches needs Chromium started with --autoplay-policy=no-user-gesture-required.',
    mute: 'Mute for 15 minutes',
    unmute: 'Unmute',
    muted: (until: string): string => `Muted until ${until}.`,
    notMuted: 'The tab that judges alarms did not answer. Nothing was changed.',
  },
  notifications: {
    title: 'Notifications',
    level: 'Notifies of',
    state: 'Leave',
    states: {
      granted: 'given: this page may notify',
      denied: 'refused: change it in the browser’s settings for this site',
      default: 'not asked yet',
      unsupported: 'this browser offers none to this page; over plain http no browser does',
    },
    ask: 'Ask the browser',
    test: 'Show a test',
    testTitle: 'Test of the immune node dashboard',
    testBody: 'Nothing is wrong.',
    failed: 'The browser showed none. Phones show them only for installed apps.',
    closed: 'Only while this page is open.',
  },
  vibration: {
    title: 'Vibration',
    level: 'Shakes for',
    none: 'This device can’t, or its browser does not let pages.',
  },
  receivers: {
    title: 'Messages to others',
    text: 'Sent by this browser while it watches. What can’t be delivered is kept, over reloads too, and sent in order when the receiver is back.',
    none: 'Nobody is sent anything',
    noneText: 'Add a receiver, so that somebody hears of an alarm who does not sit at this screen.',
    kinds: {
      webhook: 'Webhook',
      alertmanager: 'Alertmanager',
      ping: 'Dead-man’s switch',
    },
    kindTexts: {
      webhook: 'JSON by POST, one message per notification: problem, recovery, reminder.',
      alertmanager:
        'Base URL of a Prometheus Alertmanager, which passes alarms on to mail, chat or a pager. Alerts end a day ahead and are sent again every minute, so a screen that dies does not resolve them.',
      ping: 'An address that is called while watching works. Whoever owns it notices when this screen is dead.',
    },
    vias: { relay: 'through this server', direct: 'by the browser itself' },
    viaHint:
      'By the browser itself only where the receiver allows it (CORS). A dead-man’s switch is then called blindly: any answer counts.',
    staticHint:
      'This dashboard has no server of its own, so the browser sends itself; the host’s policy for the engine (connect-src) must name the address.',
    addingOff: 'This server takes receivers from its configuration only.',
    noServer: 'The dashboard’s server did not answer.',
    kind: 'Kind',
    url: 'Address',
    name: 'Name',
    nameHint: 'How it is called here; may be left empty.',
    via: 'Sent',
    from: 'Told of',
    every: 'Every',
    minutes: (count: number): string => (count === 1 ? '1 minute' : `${count} minutes`),
    urlProblems: {
      empty: 'Give the address.',
      'not-a-url': 'This is no address. Give http(s)://host/path.',
      'not-http': 'Only http and https can be sent to.',
      'has-user': 'Leave out the user and password.',
      'too-long': 'An address may have 2,000 characters.',
    } satisfies Record<ReceiverUrlProblem, string>,
    add: 'Add a receiver',
    adding: 'Adding',
    save: 'Add',
    cancel: 'Cancel',
    offered: (host: string): string => `Offered by this server: ${host}`,
    use: 'Send from this browser',
    remove: 'Remove',
    removeOf: (name: string): string => `Remove ${name}`,
    removeHint:
      'Alerts that an Alertmanager still has end by themselves within a day, silences within an hour.',
    silences: {
      legend: 'Acknowledgements',
      here: 'stay in this browser',
      shared: 'become silences there',
      hint: 'As a silence an acknowledgement holds for everybody: this Alertmanager calls nobody for that alarm, for up to an hour at a time while this browser watches. It ends when the acknowledgement is taken back, when the alarm is over or gets worse. Silences made elsewhere are not shown here.',
    },
    test: 'Send a test',
    testOf: (name: string): string => `Send a test to ${name}`,
    testing: 'Sending …',
    tryNow: 'Try now',
    tookTest: (code: number | undefined, answer: string): string =>
      code === undefined ? 'Sent. Its answer can’t be read.' : `Taken: it ${status(code, answer)}.`,
    testFailed: (why: string): string => `Not delivered: it ${why}.`,
    state: {
      idle: 'nothing sent yet',
      delivered: (when: string): string => `last delivered ${when}`,
      waiting: (count: number): string => (count === 1 ? '1 waits' : `${count} wait`),
      failing: (since: string, why: string): string => `failing since ${since}: ${why}`,
      next: (when: string): string => `next try ${when}`,
      lost: (count: number): string => `${count} no longer fitted and were dropped`,
      refused: (count: number, why: string): string => `${count} it would not take: ${why}`,
      unknown: 'not known: the tab that sends has not answered',
    },
    failure: (failure: DeliveryFailure): string => {
      switch (failure.kind) {
        case 'unreachable':
          return 'can’t be reached, or does not allow this page to send (CORS)'
        case 'timeout':
          return 'did not answer in time'
        case 'redirected':
          return 'points to another address, which is not followed'
        case 'relay':
          return RELAY[failure.failure] ?? 'did not answer'
        case 'status':
          return status(failure.status, failure.answer)
      }
    },
  },
  limits: {
    title: 'What a browser can’t do',
    lines: [
      'A closed browser tells nobody. Have a dead-man’s switch notice that this screen is gone.',
      'Acknowledgements, shelving and mute are this browser’s. Another browser does not know of them. An Alertmanager does, where acknowledgements become silences there.',
      'A computer that sleeps watches nothing and sends nothing.',
    ],
  },
}
