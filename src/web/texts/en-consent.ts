import type { SignedTextProblem } from '#signing/signed-text-check.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { counted } from './format.ts'

const shownFound = (found: string): string => toVisibleText(found, 120)

export const consentTexts = {
  title: (service: string): string => `Let a key sign for ${service}?`,
  lead: (key: string, service: string): string =>
    `The key ${key} will sign status requests for ${service} as shown here, for this service only.`,
  allow: (service: string): string => `Sign for ${service}`,
  checking: 'Checking (takes a few seconds)',
  whySecret: 'To change the services that a key in the vault signs for, enter its passphrase.',
  problems: {
    'no-key': 'This key is no longer in this browser.',
    'not-kept': 'The browser refused to store this permission.',
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
    `${counted(bytes, 'byte')} in ${counted(lines, 'line')}, for example:`,
  refused: {
    title: 'The signer refuses this profile',
    kind: 'Refused',
    what: (problem: SignedTextProblem): string => {
      switch (problem.kind) {
        case 'foreign-origin':
          return `The signed text contains ${shownFound(problem.found)}, which is not the address of this service.`
        case 'fixed-time':
          return `The signed text or a header contains ${shownFound(problem.found)}, a number or word that could be a fixed time.`
        case 'odd-character':
          return `The signed text contains ${shownFound(problem.found)}, which could hide or escape text.`
        case 'origin-missing':
          return 'The profile uses the service’s address, but the signed text does not contain it.'
      }
    },
    why: {
      'foreign-origin':
        'Anyone who gets such a signature could send it to that address. The key signs nothing until the profile uses {origin} or {authority} instead.',
      'fixed-time':
        'Such a signature could stay valid until that time. The key signs nothing until the profile uses {ts.s} or another time that the signer fills in.',
      'odd-character':
        'The key signs nothing until the profile’s own text is ASCII without escapes (\\, %, &#).',
      'origin-missing':
        'Such a signature would be valid at other services too. The key signs nothing until {origin} is part of the text.',
    },
    replace: (placeholder: string): string => `Replace with ${placeholder}`,
    show: 'Show in the editor',
    mended: 'The profile below was changed and is no longer refused. Save it to use it.',
    change: 'Change the profile',
  },
  forService: {
    legend: 'For which service?',
    none: 'None yet',
    noneText: 'The key signs nothing until you choose it for a service.',
    asked: 'Choose the service that this key signs for.',
  },
  brings: (count: number): string =>
    count === 1 ? 'The file contains this service:' : `The file contains these ${count} services:`,
  afterwards:
    'A key signs for a service, or with a custom profile, only after you allow it here. Signing profiles from a file need your approval when they are first used.',
  review: {
    title: 'Not allowed yet',
    text: (service: string): string =>
      `No key signs for ${service} with this profile yet: it was not allowed here, came with a file, or was changed elsewhere.`,
    open: 'Review and allow',
  },
} as const
