import { formatCount } from './format.ts'

/** What is wrong with this screen itself, and around the messages about all else. Fetched when there is a message. */
export const screenProblemTexts = {
  problem: {
    unreadable: {
      title: 'The settings in this browser can’t be read',
      text: 'The dashboard started without them. The document is kept as it was found: it can be saved as a file under Undo, export and import.',
    },
    'partly-read': {
      title: 'Some of the settings in this browser can’t be read',
      text: 'What can be understood is in force. The document is kept as it was found: it can be saved as a file under Undo, export and import.',
    },
    newer: {
      title: 'The settings in this browser were written by a later version',
      text: 'What this version understands is in force. The document is kept as it was found, for the later version to import.',
    },
    'no-storage': {
      title: 'This browser keeps nothing for this page',
      text: 'Settings hold in this tab until it is closed; other tabs have their own and do not hear of them. Keys hold until the last tab is closed. A private window or blocked site data usually cause this.',
    },
    'not-saved': {
      title: 'The settings hold in this tab, but the browser did not keep them',
      text: 'Its storage may be full or blocked. They will be gone after a reload, and other tabs do not hear of them.',
    },
    'config-unreadable': {
      title: 'The server’s configuration can’t be read',
      text: 'What it provides (config.json) is missing here; only the settings of this browser are used. The terminal in which the dashboard runs says what is wrong with it.',
    },
  },
  signerFailed: {
    title: 'The part of this page that holds the key did not start',
    text: 'Without it no request can be signed, so nothing is asked. Close other tabs of this dashboard and reload this page.',
  },
  openSettings: 'Open settings',
  moreMessages: (count: number) =>
    count === 1 ? 'and 1 more message' : `and ${formatCount(count)} more messages`,
} as const
