/** Kinds of receivers that the server renders messages for; each has its file here and its row in `kinds.ts`. */
export const MESSAGE_KINDS = [
  'slack',
  'slack-bot',
  'apprise',
  'discord',
  'email',
  'gotify',
  'matrix',
  'ntfy',
  'pagerduty',
  'pushover',
  'teams',
  'telegram',
] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]
