/** Words about several tabs of one browser, of which one asks. */
export const tabTexts = {
  follows: 'Another tab asks; this one shows what it hears',
  silent: 'Nothing heard from the tab that asks; what is shown gets older',
  otherBuild: 'The tab that asks runs another version: reload both tabs',
  takeOver: 'Take over here',
  /** A tab with a signer of its own is about to take over, and could not sign. */
  alone: {
    titles: {
      locked: 'Take over with a locked key?',
      'no-key': 'Take over without a key?',
    },
    texts: {
      locked:
        'The key is locked in this tab, and this browser shares no signer between tabs. If this tab takes over now, asking stops until you unlock the key here. Unlock it first, and nothing is missed.',
      'no-key':
        'This tab has no key that the services need, and this browser shares no signer between tabs. If this tab takes over now, asking stops until you bring the key here.',
    },
    allTheSame: 'Take over all the same',
    unlockFirst: 'Unlock first',
  },
  noLocks: 'Over plain http tabs agree by messages alone: for a moment, two of them may both ask.',
} as const
