/** What happened to a node, on its page. */
export const nodeEventTexts = {
  title: 'Events',
  all: 'In the journal',
  none: 'Nothing has happened since this browser watches.',
  reading: 'Reading the journal…',
  failed: 'The journal can’t be read just now.',
  list: 'What happened, newest first',
  write: 'Write a note',
  note: 'Note',
  noteHint: 'What you want to find again beside these values.',
  at: (zone: string) => `At (${zone}), now if empty`,
  add: 'Add note',
  empty: 'Write what the note is to say.',
  badTime: 'This is no date and time. Choose one, or leave it empty for now.',
  notKept: 'The note could not be added. It still stands here: try again.',
} as const
