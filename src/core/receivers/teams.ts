import { membersOf } from '#base/stored.ts'
import { HttpUrl, jsonRequest, readRefusal, receiverFormat } from './kind.ts'
import { droppedLines, LINK_WORDS, type Message } from './message.ts'
import { unlinked } from './rendering.ts'

const COLORS = { critical: 'attention', warning: 'warning', info: 'accent' } as const

/** Teams accepts 28 KB; the rest is the card's frame. */
const LINES_BYTES_MAX = 26_000

/**
 * A workflow's webhook ("Post to a channel when a webhook request is received"), which gets an Adaptive Card. Texts are
 * RichTextBlock runs, because Teams reads Markdown everywhere else. 202 means that the workflow was started.
 */
export const TEAMS = receiverFormat({
  name: 'Microsoft Teams',
  text: 'A card in a channel or chat, posted by a workflow.',
  docs: 'https://support.microsoft.com/office/8ae491c7-0394-4861-ba59-055e33f75498',
  entries: { url: HttpUrl },
  fields: {
    url: {
      input: 'url',
      secret: 'token',
      label: 'Workflow URL',
      hint: 'In Workflows, choose “Send webhook alerts to a channel” and copy the URL.',
    },
  },
  requests: ({ url }, message) => [
    jsonRequest(url, {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: cardOf(message),
        },
      ],
    }),
  ],
  // A workflow that is turned off or deleted answers 400 `WorkflowTriggerIsNotEnabled`.
  read: (answer) =>
    readRefusal(answer, ({ error }) => String(membersOf(error)?.['code']).startsWith('Workflow')),
})

function cardOf(message: Message): object {
  const { kind, severity, title, facts, link } = message
  const color = kind === 'recovery' ? 'good' : COLORS[severity]
  const lines = facts.map(({ name, text }) => [
    { type: 'TextRun', text: `${unlinked(name)}: `, isSubtle: true },
    { type: 'TextRun', text: unlinked(text) },
  ])
  lines.push(...droppedLines(message).map((text) => [{ type: 'TextRun', text }]))
  while (new TextEncoder().encode(JSON.stringify(lines)).length > LINES_BYTES_MAX) lines.pop()
  const head = { type: 'TextRun', text: unlinked(title), size: 'medium', weight: 'bolder', color }
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [[head], ...lines].map((inlines) => ({ type: 'RichTextBlock', inlines })),
    ...(link !== undefined && { actions: [{ type: 'Action.OpenUrl', title: LINK_WORDS, url: link }] }),
  }
}
