import type { TimestampUnit } from '#record/field.ts'
import { timestampUnitNames } from './format-time.ts'
import { joined } from './format.ts'

export const nodeTexts = {
  crumb: 'Nodes',
  copyId: 'Copy node id',
  loading: 'Waiting for the first nodes',
  unknown: {
    title: 'This node is not watched here',
    text: 'It is not in the settings, or it was removed.',
    toList: 'Show all nodes',
  },
  hero: {
    label: 'Now',
    state: (name: string) => `${name}, as reported`,
    stateOld: (name: string) => `${name}, last known`,
    unusable: 'not usable',
    notAsked: 'Not polled yet',
    beingAsked: 'Polling',
    noAnswer: 'No status yet',
    forPrefix: 'for ',
    since: ', since ',
    seenFromHere: ' (first seen by this browser)',
    unseen: (span: string) => `, ${span} not watched`,
    lastAnswer: 'Last answer ',
    ago: ' ago',
    took: ', HTTP 200 in ',
    asOf: 'as of ',
    notKnownNow: 'Currently unknown.',
    late: '(no newer answer yet)',
    newWord: 'Unknown status: set what it means. Until then it counts as info.',
    lookAlikes: (characters: string) => `Contains look-alike characters: ${characters}`,
    age: (name: string) => `Last ${name.toLowerCase()}`,
    ageOld: (name: string) => `Last known ${name.toLowerCase()}`,
    agoWord: 'ago',
    noFigure: '–',
    ageUnusable: (name: string) => `The record has no usable ${name.toLowerCase()}.`,
    heartbeatDoubt: (doubt: string) => `± ${doubt}: the service’s time can’t be read exactly.`,
    heartbeatAtLeast:
      'At least this old: the clocks disagree, so only the time without a new heartbeat is known.',
    heartbeatDisagree:
      'Unknown: the clocks of this computer, the service and the node disagree, or records arrive late.',
    heartbeatUncheckedNote: 'By this computer’s clock only: the service’s time can’t be read.',
    heartbeatUnit: (unit: TimestampUnit): string => `Read as ${timestampUnitNames[unit]}.`,
    ahead: (name: string, age: string) =>
      `The ${name.toLowerCase()} is ${age} in the future: the clocks disagree.`,
    ageAtLastAnswer: (name: string, age: string) =>
      `The ${name.toLowerCase()} was ${age} old at the last answer.`,
    spokenAge: (age: string) => `about ${age} ago`,
    railLabel: (heading: string, age: string, warning: string | undefined, critical: string | undefined) =>
      joined(', ', [
        `${heading} ${age}`,
        warning !== undefined && `warning at ${warning}`,
        critical !== undefined && `critical at ${critical}`,
      ]),
    railWarning: (limit: string) => `${limit} warning`,
    railCritical: (limit: string) => `${limit} critical`,
    checks: 'Checks',
    within: (checked: number, all: number) =>
      checked === all
        ? `${checked} of ${all} within limits`
        : `${checked} of ${all} checked, all within limits`,
    notKnown: (unknown: number, all: number) => `${unknown} of ${all} unknown`,
    outside: (bad: number, checked: number, all: number) =>
      checked === all
        ? `${bad} of ${all} outside limits`
        : `${checked} of ${all} checked, ${bad} outside limits`,
  },
} as const
