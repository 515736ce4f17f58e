/** One node's page. */
export const nodeTexts = {
  crumb: 'Nodes',
  ownNode: 'The key’s own node',
  copyId: 'Copy node id',
  copied: 'Copied',
  copyFailed: 'The browser did not let this page copy',
  loading: 'Waiting for the first nodes',
  unknown: {
    title: 'This node is not watched here',
    text: 'The address names a node that is not in the settings, or it was removed.',
    toList: 'Show all nodes',
  },
  hero: {
    notChecked: 'not checked',
    label: 'Now',
    status: 'Status, as the service reports it',
    statusOld: 'Status, last known',
    statusNever: 'Status',
    unusable: 'not usable',
    notAsked: 'Not asked yet',
    beingAsked: 'Being asked now',
    noAnswer: 'No answer yet',
    forPrefix: 'for ',
    since: ', since ',
    seenFromHere: ', as seen from here',
    lastAnswer: 'Last answer ',
    ago: ' ago',
    took: ', HTTP 200 in ',
    asOf: 'as of ',
    notKnownNow: 'Not known now.',
    late: 'The answer is late.',
    newWord:
      'This word is new to this screen, so it counts as info: nobody has said whether it is good or bad.',
    lookAlikes: (characters: string) => `It holds characters that look like others: ${characters}`,
    heartbeat: 'Last heartbeat',
    heartbeatOld: 'Last heartbeat we know of',
    agoWord: 'ago',
    noFigure: '–',
    heartbeatUnusable: 'The record has no heartbeat that can be used.',
    heartbeatDoubt: (doubt: string) =>
      `± ${doubt}: the service’s time can’t be read closely, so the clock is known by its answers and beats only.`,
    heartbeatUncheckedNote: 'By this computer’s clock alone: the service’s time can’t be read.',
    heartbeatMs: 'Taken as milliseconds.',
    heartbeatAhead: (age: string) =>
      `The heartbeat lies ${age} in the future: the clocks disagree, so no age is claimed.`,
    mayBeAlive: (age: string) =>
      `The node may well be alive: its heartbeat was ${age} old when we last saw it.`,
    spokenAge: (age: string) => `about ${age} ago`,
    railLabel: (age: string, warning: string | undefined, critical: string | undefined) =>
      [
        `Heartbeat age ${age}`,
        warning !== undefined && `warning at ${warning}`,
        critical !== undefined && `critical at ${critical}`,
      ]
        .filter((part) => part !== false)
        .join(', '),
    railWarning: (limit: string) => `${limit} warning`,
    railCritical: (limit: string) => `${limit} critical`,
    checks: 'Checks',
    within: (ok: number, all: number) => `${ok} of ${all} within limits`,
    notKnown: (unknown: number, all: number) => `${unknown} of ${all} not known`,
    outside: (bad: number, all: number) => `${bad} of ${all} outside`,
  },
} as const
