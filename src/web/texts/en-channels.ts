import type { ChannelLevel } from '#alarms/channels.ts'
import type { DeliveryFailure } from '#delivery/delivery-queue.ts'
import type { ProxyFailure } from '#protocol/transport.ts'
import { TAG_CHARS_MAX } from '#record/typed-names.ts'
import { counted } from './format.ts'

const RELAY: Readonly<Partial<Record<ProxyFailure, string>>> = {
  refused: 'refused the connection',
  'no-tunnel': 'can’t be reached through the proxy in HTTPS_PROXY or HTTP_PROXY',
  dns: 'has an unknown host name',
  tls: 'has a certificate that is not trusted',
  'tls-handshake': 'failed the TLS handshake',
  'not-http': 'does not answer with valid HTTP',
  reset: 'dropped the connection',
  timeout: 'did not answer in time',
  'cut-off': 'sent an incomplete answer',
  'too-large': 'sent an answer that is too large',
  'headers-too-large': 'sent headers that are too large',
  'bad-status': 'answered with an invalid HTTP status',
  'not-allowed': 'is no longer on the dashboard server’s list: add it again',
  blocked:
    'is at a private or link-local address, or in the dashboard server’s own network: add it to the server configuration',
  limited: 'was not contacted because the dashboard server rate-limits this browser',
  'view-only':
    'was not contacted because this page is view-only; open the address that the dashboard server printed at start',
  'signed-out': 'was not contacted because this browser is signed out; sign in to this dashboard',
}

/** An answer may end with its own full stop. */
const unended = (text: string): string => text.replace(/\.$/, '')

const status = (code: number, answer: string): string =>
  answer === '' ? `answered with HTTP ${code}` : `answered with HTTP ${code}: ${answer}`

const severities = {
  critical: 'critical',
  warning: 'warning and above',
  info: 'info and above',
}

export const channelTexts = {
  title: 'Notifications',
  lead: 'How this browser notifies you. Each browser has its own settings. If several tabs are open, only one notifies.',
  notKept: 'The browser did not save this change. It applies to this tab until you reload the page.',
  severities,
  levels: { ...severities, off: 'no alarms' } satisfies Record<ChannelLevel, string>,
  sound: {
    title: 'Sound',
    level: 'Play sound for',
    volume: 'Volume',
    volumes: { low: 'low', middle: 'medium', high: 'high' },
    try: 'Test',
    tries: { critical: 'Critical', warning: 'Warning', info: 'Info' },
    tryOf: (severity: string): string => `Play the ${severity} sound`,
    state: 'Status',
    states: {
      trying: 'testing',
      ready: 'ready',
      elsewhere: 'played by another tab',
      blocked: 'blocked by the browser until you click or type on this page',
      unsupported: 'not supported by this browser',
    },
    repeats: 'Repeats every 30 s until the alarm is acknowledged or clears.',
    kiosk: 'An unattended screen needs Chromium started with --autoplay-policy=no-user-gesture-required.',
    mute: 'Mute for 15 minutes',
    unmute: 'Unmute',
    muted: (until: string): string => `Muted until ${until}.`,
  },
  notifications: {
    title: 'Desktop notifications',
    level: 'Notify for',
    state: 'Permission',
    states: {
      granted: 'allowed',
      denied: 'blocked: change it in the browser’s site settings',
      default: 'not requested',
      unsupported: 'not supported here; no browser supports it over plain http',
    },
    ask: 'Request permission',
    test: 'Send a test',
    testTitle: 'Test notification from the immune node dashboard',
    testBody: 'Nothing is wrong.',
    failed:
      'The browser showed no notification. Most phone browsers don’t let an open page show notifications: add a receiver instead.',
    closed: 'Shown only while this page is open.',
  },
  vibration: {
    title: 'Vibration',
    level: 'Vibrate for',
    none: 'Not supported by this device or browser.',
  },
  receivers: {
    title: 'Receivers',
    text: 'This browser sends messages while it polls. Undelivered messages stay queued across reloads and are sent in order.',
    none: 'No receivers yet',
    noneText: 'Add a receiver to notify people who are not at this screen.',
    kinds: {
      webhook: 'Webhook',
      alertmanager: 'Alertmanager',
      ping: 'Dead-man’s switch',
    },
    kindTexts: {
      webhook: 'JSON by POST, one message per notification: problem, recovery, reminder.',
      alertmanager:
        'Base URL of a Prometheus Alertmanager. Alerts are re-sent every minute and expire after a day, so they stay active if this screen stops.',
      ping: 'A URL that this dashboard requests at a set interval, but only while polling works; the service there alerts you when the requests stop.',
    },
    byWatch: 'the server’s watch, even when no browser is open',
    vias: { relay: 'dashboard server', direct: 'this browser' },
    viaHint:
      'Direct delivery requires a receiver that allows this page (CORS). A dead-man’s switch does not have to allow it, because any answer from it counts as delivery.',
    staticHint:
      'This dashboard has no server, so the browser sends directly. Add the URL to connect-src in the Content-Security-Policy that the web host sends with the engine’s script.',
    addingOff: 'This server accepts no receivers from this browser: use its configuration.',
    noServer: 'The dashboard server did not answer.',
    kind: 'Type',
    docs: 'Documentation',
    required: 'Enter a value.',
    removeSecret: (label: string): string => `Remove the stored ${label.toLowerCase()}`,
    secretStays:
      'Leave empty to keep the stored value. If you change the receiver’s URL, enter this value again.',
    serverHint:
      'The dashboard server sends these messages and keeps the secrets: they are never shown again.',
    preview: 'Preview of a message',
    routing: {
      services: 'Only these services',
      servicesHint: 'None selected: all services.',
      sameName: (label: string, baseUrl: string): string => `${label} (${baseUrl})`,
      goneService: (name: string): string => `${name} (no longer configured)`,
      tags: 'Only nodes with any of these tags',
      tagsHint: 'For example eu, prod. Empty: all nodes.',
      notTags: `Enter at most 16 tags. A tag begins with a letter, has at most ${TAG_CHARS_MAX} characters and no semicolon, vertical bar, quote or #.`,
      quiet: 'Quiet hours',
      quietHint:
        'For example 22:00-07:00, local time. Messages below critical wait until quiet hours end. A problem that clears or is acknowledged before then is not sent.',
      notQuiet: 'Enter two times, such as 22:00-07:00.',
      repeat: 'Repeat after (minutes)',
      repeatHint: 'Until the problem is acknowledged or clears. Empty: only critical problems, every hour.',
      notRepeat: 'Enter a number from 1 to 1,440.',
    },
    url: 'URL',
    name: 'Name',
    nameHint: 'Optional.',
    via: 'Sent by',
    from: 'Send for',
    every: 'Interval',
    minutes: (count: number): string => counted(count, 'minute'),
    add: 'Add receiver',
    adding: 'Adding',
    editing: 'Editing',
    save: 'Add',
    saveEdited: 'Save',
    edit: 'Edit',
    editOf: (name: string): string => `Edit ${name}`,
    offered: (host: string): string => `Offered by this server: ${host}`,
    use: 'Send from this browser',
    remove: 'Remove',
    removeOf: (name: string): string => `Remove ${name}`,
    removeHint: 'Alerts still active in an Alertmanager expire within a day, silences within an hour.',
    silences: {
      legend: 'Acknowledgements',
      names: { off: 'stay in this browser', on: 'become silences' },
      hint: 'A silence mutes the alarm at this Alertmanager for everyone. It lasts an hour and is renewed while this browser polls. It ends early when the alarm is unacknowledged, clears or gets worse. Silences created elsewhere are not shown here.',
    },
    screenAlarms: {
      legend: 'Alarms about this screen',
      names: { off: 'stay on this screen', on: 'are sent too' },
      hint: 'Alarms about this screen report problems with this browser itself: sound blocked, history not saved, page errors.',
    },
    test: 'Send a test',
    testOf: (name: string): string => `Send a test to ${name}`,
    testing: 'Sending…',
    tryNow: 'Try now',
    tookTest: (code: number | undefined, answer: string): string =>
      code === undefined
        ? 'Sent; the receiver’s answer can’t be read.'
        : `Delivered (HTTP ${code})${answer === '' ? '' : `: ${unended(answer)}`}.`,
    testFailed: (why: string): string => `Not delivered: the receiver ${unended(why)}.`,
    state: {
      idle: 'nothing sent yet',
      delivered: (when: string): string => `last delivered ${when}`,
      waiting: (count: number): string => `${count} queued`,
      failing: (since: string, why: string): string => `failing since ${since}: ${why}`,
      next: (when: string): string => `next try ${when}`,
      lost: (count: number): string => `${count} not sent: too many at once`,
      refused: (count: number, why: string): string => `${count} rejected: ${why}`,
      unknown: 'unknown: the sender has not reported',
    },
    failure: (failure: DeliveryFailure): string => {
      switch (failure.kind) {
        case 'unreachable':
          return 'can’t be reached, or does not allow this page (CORS)'
        case 'own-server':
          return 'can’t be reached because the dashboard server does not answer'
        case 'timeout':
          return 'did not answer in time'
        case 'redirected':
          return 'redirected; redirects are not followed'
        case 'relay':
          return RELAY[failure.failure] ?? 'did not answer'
        case 'status':
          return status(failure.status, failure.answer)
        case 'defect':
          return `got no message because of a defect in this dashboard: ${failure.message}`
      }
    },
  },
  limits: {
    title: 'Browser limitations',
    lines: [
      'A closed browser or a sleeping computer neither polls nor notifies. Use a dead-man’s switch to detect that.',
      'Acknowledgements, shelving and mute apply to this browser only. To share acknowledgements, send them to an Alertmanager as silences.',
    ],
    /** If the server runs a watch. */
    withWatch: [
      'A closed browser or a sleeping computer neither polls nor notifies. The server’s watch still does both.',
      'Acknowledgements and shelving apply to everyone who opens this dashboard. Mute and the receivers added here apply to this browser only.',
    ],
  },
}
