import type { AlarmKind } from '#alarms/alarm.ts'

/** What an alarm means, and what to do first. */
export type AlarmHelp = { readonly meaning: string; readonly steps: readonly string[] }

const SUSPECT_SHARED = 'If several nodes of one place show this, suspect what they share and not the node.'

const PARTICIPATION: AlarmHelp = {
  meaning:
    'The node takes part in the network less, or more, than the limit that is set. The service reports the figure; this page only compares it.',
  steps: [
    'See when it began in the chart, and what else changed then.',
    'See whether the node’s log names missed rounds.',
    SUSPECT_SHARED,
  ],
}

const STAKE: AlarmHelp = {
  meaning: 'The stake that the service reports is not what it was, or is below the limit that is set.',
  steps: [
    'See in the journal when it changed, and by how much.',
    'If nobody on your side moved it, treat the operator’s account as touched by somebody else.',
  ],
}

const SLOW: AlarmHelp = {
  meaning:
    'The service answers, but takes longer than the limit that is set. When answers reach the deadline, they count as none.',
  steps: [
    'See whether all nodes of the service are slow: then it is the service or the way to it.',
    'See whether this computer or its network is busy.',
  ],
}

const THREATS: AlarmHelp = {
  meaning: 'The counter of executed threat responses does not move as the rule expects.',
  steps: [
    'Compare with the other nodes: the same everywhere is news of the network, not of this node.',
    'See whether the counter restarted: the chart marks it.',
  ],
}

/** First steps by kind. The rule's own text, where an operator wrote one, stands before them. */
export const alarmHelp: Readonly<Record<AlarmKind, AlarmHelp>> = {
  'heartbeat-old': {
    meaning:
      'The service answers, and may still call the node ACTIVE, but the node has not reported to it for too long. Until it does, nothing on this page can tell whether it still works.',
    steps: [
      'See whether the node’s process runs and its clock is right.',
      'See whether it can reach the service.',
      SUSPECT_SHARED,
    ],
  },
  unreachable: {
    meaning:
      'Requests are sent and no usable answer comes back. What the nodes do meanwhile is not known: it is neither good nor bad.',
    steps: [
      'The message at the top of the page says what was found out about the cause.',
      'Open the service in a tab of this browser.',
      'If nothing else on this computer reaches it either, look at the network first.',
    ],
  },
  rejected: {
    meaning:
      'The service says that it does not know this node, or that its id is not one. Asking again changes nothing.',
    steps: [
      'Compare the id with the one that the node itself shows.',
      'If every node is rejected, the base URL may lead to another network.',
    ],
  },
  'key-rejected': {
    meaning:
      'The service refuses what this key signs. Asking is slowed down so that nobody is locked out, and until it ends nothing is known of these nodes.',
    steps: [
      'See whether the right key signs for this service.',
      'See whether this computer’s clock is right: signed times that are off are refused too.',
      'Under Settings, Signing profile, press “Find the one that works”.',
    ],
  },
  'status-left': {
    meaning:
      'The service reports a status that counts as a warning or as bad. What a word means can be set under units and limits.',
    steps: [
      'See in the journal when it changed, and from what.',
      'Look at the node itself: the service only reports what it was told.',
    ],
  },
  'participation-low': PARTICIPATION,
  'participation-high': PARTICIPATION,
  'participation-below': PARTICIPATION,
  'participation-above': PARTICIPATION,
  'stake-low': STAKE,
  'stake-below': STAKE,
  'stake-changed': STAKE,
  'answer-slow': SLOW,
  'answer-time-p95': SLOW,
  paused: {
    meaning: 'No request can be signed, so nothing is asked and nothing is known.',
    steps: ['Unlock the key, or bring one: the message at the top of the page has the button.'],
  },
  network: {
    meaning:
      'No service answers, and this computer’s own network is the likeliest cause. The nodes’ alarms are held back meanwhile.',
    steps: ['See whether this computer reaches anything else.', 'Once it does, asking goes on by itself.'],
  },
  'clock-skew': {
    meaning:
      'This computer’s clock and the service’s are so far apart that signed requests may be refused and ages are in doubt.',
    steps: ['Set this computer’s clock by the network.', 'If it is right, tell whoever runs the service.'],
  },
  blind: {
    meaning:
      'Nothing was heard for so long that what is on screen can no longer be trusted. No news is not good news.',
    steps: [
      'Look at the status line: it says what this screen is doing.',
      'Reload the page if it does not go on.',
    ],
  },
  throttled: {
    meaning:
      'The service asked to be asked less often. Readings are older than they should be until it takes that back.',
    steps: [
      'Set a longer poll interval for this service.',
      'See whether other screens ask with the same key.',
    ],
  },
  'not-saving': {
    meaning: 'What is seen is shown but not kept. It is lost when the last tab is closed.',
    steps: ['Free space on the disk, or lower the budget under “Storage”.', 'Private windows keep nothing.'],
  },
  'sound-blocked': {
    meaning:
      'The browser lets this page make no sound until somebody has clicked on it. Nobody will hear the next alarm.',
    steps: [
      'Click anywhere on this page.',
      'For a screen without a person, start the browser with sound allowed.',
    ],
  },
  'threat-rate-below': THREATS,
  'threat-rate-above': THREATS,
  'threats-stuck': THREATS,
  'proof-unchanged': {
    meaning: 'The cryptographic proof has stayed the same for longer than the rule allows.',
    steps: [
      'See whether the heartbeat goes on: if so, the node reports but proves nothing new.',
      SUSPECT_SHARED,
    ],
  },
  'proof-wrong': {
    meaning: 'The proof was checked by the service’s proof profile, and it does not fit the record.',
    steps: [
      'See under the record which part does not fit.',
      'See whether the proof profile in the settings is the right one.',
      'If it is, do not rely on anything else that the record says.',
    ],
  },
}
