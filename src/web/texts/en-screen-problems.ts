/** What is wrong with this screen itself, and around the messages about all else. Fetched when there is a message. */
export const screenProblemTexts = {
  problem: {
    unreadable: {
      title: 'The settings in this browser can’t be read',
      text: 'The dashboard started without them. The unreadable document can be downloaded under Undo, export and import.',
    },
    'partly-read': {
      title: 'Some of the settings in this browser can’t be read',
      text: 'The readable part is active. The whole document can be downloaded under Undo, export and import.',
    },
    newer: {
      title: 'The settings in this browser were written by a newer version',
      text: 'The part that this version understands is active. The whole document can be downloaded under Undo, export and import.',
    },
    'no-storage': {
      title: 'This browser stores nothing for this page',
      text: 'Settings last until this tab is closed and are not shared with other tabs; keys last until the last tab is closed. Usual causes: a private window, or blocked site data.',
    },
    'not-saved': {
      title: 'The browser did not save the settings',
      text: 'They are active in this tab only and lost on reload. The browser’s storage may be full or blocked.',
    },
    'config-unreadable': {
      title: 'The server configuration can’t be read',
      text: 'Only the settings of this browser are used. The log of the dashboard server says what is wrong with config.json.',
    },
  },
  signerFailed: {
    title: 'The signer did not start',
    text: 'Requests can’t be signed, so polling is stopped. Close other tabs of this dashboard and reload this page.',
  },
  openSettings: 'Open settings',
} as const
