import type { TokenProblem } from '#signing/token.ts'

type Problem = TokenProblem | 'not-kept' | 'not-removed' | 'too-many' | 'not-configured'

/** Where a person types the token of a service that takes one. */
export const tokenTexts = {
  title: 'Token',
  lead: 'This service takes a fixed token instead of signatures. It goes to the part of this page that holds the keys and is sent to this service only; it can’t be read back here, and no export, report or copied command has it.',
  needed: 'Token needed: nothing is asked until it is typed.',
  held: {
    session: 'A token is there, until the last tab of this dashboard is closed.',
    device: 'A token is there, kept on this computer. Whoever has this computer’s disk can read it.',
  },
  field: 'Token',
  fieldNew: 'Another token in its place',
  hint: 'As the service’s owner gave it, without a word such as Bearer if the profile’s header has that already.',
  legend: 'Where the token is kept',
  session: 'For this session',
  sessionText:
    'In memory only, until the last tab of this dashboard is closed. Nothing is written to disk, and the token has to be typed again.',
  device: 'Keep on this computer',
  deviceText:
    'Comes back by itself after a restart. It lies readable in this browser’s storage: whoever has this computer’s disk, and any script of this page, can read it.',
  onlySession: 'On plain http the browser keeps no secrets, so the token is for the session.',
  use: 'Use this token',
  forget: 'Forget the token',
  used: 'The token is in use from now on.',
  forgotten: 'The token is forgotten.',
  forgetFailed: 'The browser did not remove it. Try again after a reload.',
  signerFailed:
    'The part of this page that holds secrets does not answer. Reload this page and type the token again.',
  problems: {
    empty: 'There was nothing in the field.',
    'too-long': 'A token has at most 4,096 characters. The field was emptied.',
    'not-visible':
      'A token has only letters, digits and signs of ASCII, and no space or line end at its ends. The field was emptied.',
    'not-kept': 'The browser did not keep it. Use it for this session, or free some of its storage.',
    'not-removed': 'The token that is kept on this computer could not be removed, so it stays in use.',
    'too-many': 'Too many tokens are held for other services: forget one of them first.',
    'not-configured': 'This service is not in the settings any more.',
  } satisfies Readonly<Record<Problem, string>>,
  spare: 'Tokens that nothing uses',
  spareText: 'Held for addresses that no service here has, or whose profile sends none.',
} as const
