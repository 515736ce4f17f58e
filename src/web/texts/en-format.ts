/** Units and the few words that figures need. The spaces around them are set by the format functions. */
export const formatTexts = {
  ms: 'ms',
  s: 's',
  m: 'm',
  min: 'min',
  h: 'h',
  d: 'd',
  percent: '%',
  utc: 'UTC',
  /** Where a value is not known. A dash is read out as nothing, so screens add words beside it. */
  none: '–',
} as const
