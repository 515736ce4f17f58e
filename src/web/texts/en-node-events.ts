/** What happened to a node, on its page. */
export const nodeEventTexts = {
  title: 'Events',
  all: 'Show in journal',
  none: 'No events yet',
  reading: 'Reading the journal…',
  failed: 'The journal can’t be read.',
  list: 'Events, newest first',
  write: 'Add a note',
  note: 'Note',
  noteHint: 'Shown in the chart and the journal.',
  at: (zone: string) => `Time (${zone}), empty: now`,
  add: 'Add note',
  empty: 'Enter a note.',
  badTime: 'Not a valid date and time.',
  notKept: 'Not added. Try again.',
} as const
