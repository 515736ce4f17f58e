/** What a key signs for: asked, shown and refused. */
export const consentTexts = {
  title: (service: string): string => `Let a key sign for ${service}?`,
  lead: (key: string, service: string): string =>
    `The key ${key} will sign status requests for ${service} as shown here, and for no other service by this.`,
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
  refused: {
    'foreign-origin': 'The signer refuses it: it has the address of another service in what is signed.',
    'fixed-time': 'The signer refuses it: it has a time of its own in what is signed.',
    'origin-missing': 'The signer refuses it: what is signed leaves out the address that the profile names.',
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
