export const watchTexts = {
  source: 'Source',
  sources: { server: 'Server', browser: 'This browser' },
  /** `ago` is the time since the last evaluation. */
  evaluated: (ago: string): string => `Evaluated by the server ${ago} ago`,
  starting: 'Waiting for the server’s first alarm status.',
  here: 'Evaluated in this browser. Only the server sends notifications when no browser is open.',
  forAll:
    'Acknowledgements and shelving apply to everyone who opens this dashboard. The server sends notifications even when no browser is open.',
  silent: {
    unreachable: {
      title: 'The server does not report its alarms',
      what: 'The dashboard server has reported no alarm status',
    },
    stalled: {
      title: 'The server has stopped evaluating alarms',
      what: 'The server has not evaluated alarms',
    },
    since: (what: string, ago: string): string =>
      `${what} for ${ago}. The server’s receivers may not be getting messages. Check the server’s log.`,
  },
} as const
