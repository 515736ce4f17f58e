import { toVisibleText } from '#base/visible-text.ts'
import type { ConfigProblem } from '#settings/documents.ts'
import type { ServerConfig } from '#settings/schema.ts'

type Reasons = {
  readonly server: Pick<ServerConfig, 'fileProblems'>
  readonly configProblem?: ConfigProblem
}

const LINES_MAX = 3

const linesText = (lines: readonly string[]): string =>
  [
    ...lines.slice(0, LINES_MAX).map((line) => toVisibleText(line)),
    ...(lines.length > LINES_MAX ? [`and ${lines.length - LINES_MAX} more`] : []),
  ].join('; ')

/** Texts about problems of the dashboard itself, loaded with the first message. */
export const screenProblemTexts = {
  problem: {
    unreadable: {
      title: 'The settings in this browser can’t be read',
      text: 'The dashboard started without them. You can download the unreadable document under Backup, export, import.',
    },
    'partly-read': {
      title: 'Some of the settings in this browser can’t be read',
      text: 'The readable part is active. You can download the whole document under Backup, export, import.',
    },
    newer: {
      title: 'The settings in this browser were written by a newer version',
      text: 'The part that this version understands is active. You can download the whole document under Backup, export, import.',
    },
    'no-storage': {
      title: 'This browser stores nothing for this page',
      text: 'Settings last until this tab is closed and are not shared with other tabs; keys last until the last tab is closed. Usual causes: a private window, or blocked site data.',
    },
    'not-saved': {
      title: 'The browser did not save the settings',
      text: 'They apply to this tab only and are lost on reload. The browser’s storage may be full or blocked.',
    },
    'config-unreadable': {
      title: 'The server configuration can’t be read',
      text: 'Until it can be read, the dashboard uses only this browser’s settings. It tries again every minute.',
    },
    'config-refused': {
      title: 'The server’s configuration file was changed and can’t be used',
      text: 'The last good version stays in effect. Correct the file on the server; this page updates within a minute.',
    },
    'view-only': {
      title: 'View only: this browser can’t add services or send alarms',
      text: 'Open the address that the dashboard server printed at start, including the token. This browser keeps the permission, and this page updates within a minute.',
    },
  },
  configReason: ({ server, configProblem }: Reasons): string => {
    if (server.fileProblems !== undefined) return linesText(server.fileProblems)
    switch (configProblem?.kind) {
      case undefined:
        return ''
      case 'no-answer':
        return 'The dashboard server did not answer. Check that it is running.'
      case 'status':
        return `The dashboard server answered with HTTP ${configProblem.status}.`
      case 'not-json':
        return 'The server configuration is not valid JSON. Correct it on the server.'
      case 'too-large':
        return 'The server configuration is too large. Remove nodes from it on the server.'
      case 'invalid':
        return `Correct it on the server: ${linesText(configProblem.lines)}`
    }
  },
  signerFailed: {
    title: 'The signer did not start',
    text: 'Requests can’t be signed, so polling is stopped. Close other tabs of this dashboard and reload this page.',
  },
  openSettings: 'Open settings',
} as const
