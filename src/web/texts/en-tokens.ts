import type { TokenProblem } from '#signing/token.ts'

type Problem = TokenProblem | 'not-kept' | 'not-removed' | 'too-many' | 'not-configured'

export const tokenTexts = {
  title: 'Token',
  lead: 'This service uses a fixed token instead of signatures. The signer keeps it. It is sent to this service only, and is not part of exports, reports or copied commands.',
  needed: 'Token needed: polling starts once it is entered.',
  held: {
    session: 'Token set, until the last tab of this dashboard is closed.',
    device: 'Token set, stored on this computer. Anyone who can read the disk can read the token.',
  },
  field: 'Token',
  fieldNew: 'New token',
  hint: 'Omit a prefix such as Bearer if the profile’s header has it.',
  legend: 'Token storage',
  session: 'For this session',
  sessionText: 'In memory only, until the last tab of this dashboard is closed. Enter it again afterwards.',
  device: 'On this device',
  deviceText:
    'Available after a restart. Stored unencrypted: anyone who can read this computer’s disk can read it, and so can any script in this page.',
  onlySession:
    'Only “For this session” is available: the page was loaded over plain http, or this browser stores nothing.',
  use: 'Save token',
  forget: 'Remove token',
  used: 'Token saved.',
  forgotten: 'Token removed.',
  forgetFailed: 'The browser did not remove it. Reload this page and try again.',
  signerFailed: 'The signer does not answer. Reload this page and enter the token again.',
  problems: {
    empty: 'Enter a token.',
    'too-long': 'At most 4,096 characters. The field was cleared.',
    'not-visible': 'Only visible ASCII characters, without surrounding spaces. The field was cleared.',
    'not-kept': 'The browser did not store it. Use it for this session, or free up disk space.',
    'not-removed': 'The stored token could not be removed and stays in use.',
    'too-many': 'Too many tokens for other services: remove one first.',
    'not-configured': 'This service is no longer in the settings.',
  } satisfies Readonly<Record<Problem, string>>,
  spare: 'Unused tokens',
  spareText: 'For services that are not configured here, or whose profile sends no token.',
} as const
