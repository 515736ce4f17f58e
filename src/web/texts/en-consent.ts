import type { SignedTextProblem } from '#signing/signed-text-check.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { formatCount } from './format.ts'

const shownFound = (found: string): string => toVisibleText(found, 120)

/** What a key signs for: asked, shown and refused. */
export const consentTexts = {
  title: (service: string): string => `Let a key sign for ${service}?`,
  lead: (key: string, service: string): string =>
    `The key ${key} will sign status requests for ${service} as shown here, for this service only.`,
  allow: (service: string): string => `Sign for ${service}`,
  checking: 'Checking, this takes a few seconds',
  whySecret: 'What a key in the vault signs for is changed with its passphrase only.',
  problems: {
    'no-key': 'This key is no longer in this browser.',
    'not-kept': 'The browser refused to store it.',
    'wrong-secret': 'Wrong passphrase, or the stored key was changed.',
    damaged: 'The passphrase is right, but the key is damaged. Import it again from your own copy.',
    failed: 'The signer does not answer. Reload this page.',
  },
  address: 'Address',
  profile: 'Signing profile',
  grade: 'Grade',
  own: 'custom',
  untitled: 'Untitled',
  example: 'Example of what is signed',
  size: (bytes: number, lines: number): string =>
    `${bytes === 1 ? '1 byte' : `${formatCount(bytes)} bytes`} in ${lines === 1 ? '1 line' : `${formatCount(lines)} lines`} are signed:`,
  refused: {
    title: 'The signer refuses this profile',
    kind: 'Refused',
    what: (problem: SignedTextProblem): string => {
      switch (problem.kind) {
        case 'foreign-origin':
          return `What is signed holds ${shownFound(problem.found)}, which is not the address of this service.`
        case 'fixed-time':
          return `What is signed holds ${shownFound(problem.found)}, a number or word that could be a time of its own.`
        case 'odd-character':
          return `What is signed holds ${shownFound(problem.found)}, which could hide or escape something.`
        case 'origin-missing':
          return 'What is signed leaves out the address that the profile names.'
      }
    },
    why: {
      'foreign-origin':
        'Whoever gets such a signature could send it on to that address. Nothing is signed until the profile says {origin} or {authority} in its place.',
      'fixed-time':
        'Such a signature could hold until that time. Nothing is signed until the profile says {ts.s} or another time of the signer in its place.',
      'odd-character':
        'Nothing is signed until the profile’s own words are ASCII without escapes (\\, %, &#).',
      'origin-missing':
        'Such a signature would hold at other services as well. Nothing is signed until {origin} is part of it.',
    },
    replace: (placeholder: string): string => `Put ${placeholder} in its place`,
    show: 'Show in the editor',
    mended: 'Changed below and no longer refused. Save it to put it in force.',
    change: 'Change the profile',
  },
  forService: {
    legend: 'For which service?',
    none: 'None yet',
    noneText: 'The key signs nothing until it is chosen for a service.',
    asked: 'Choose the service that this key signs for.',
  },
  brings: (count: number): string =>
    count === 1 ? 'It has this service:' : `It has these ${count} services:`,
  afterwards:
    'Keys sign for a service, and by a custom profile, only after you allowed it here. Signing profiles of a file are asked for when they are used.',
  review: {
    title: 'Not accepted yet',
    text: (service: string): string =>
      `No key signs for ${service} in this way yet: it was not allowed here, came with a file, or was changed elsewhere.`,
    open: 'Review and allow',
  },
} as const
