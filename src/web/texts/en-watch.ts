export const watchTexts = {
  source: 'Source',
  sources: { server: 'Server', browser: 'This browser' },
  /** `ago` is the time since the last evaluation. */
  evaluated: (ago: string): string => `Evaluated by the server ${ago} ago`,
  starting: 'The server’s watch has not answered yet.',
  here: 'Evaluated in this browser. Only the server sends notifications with no browser open.',
  forAll:
    'Acknowledgements and shelving apply to everyone who opens this dashboard. The server sends notifications with no browser open.',
  silent: {
    unreachable: {
      title: 'The server’s watch does not answer',
      what: 'The dashboard server has not reported on its watch',
    },
    stalled: {
      title: 'The server’s watch does not evaluate alarms',
      what: 'The watch has not evaluated alarms',
    },
    since: (what: string, ago: string): string =>
      `${what} for ${ago}. The server’s receivers may get no messages. Check the server’s log.`,
  },
} as const
