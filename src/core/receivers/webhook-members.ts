import * as v from 'valibot'
import { chatText } from './chat-text.ts'
import { lineOf, type Field } from './kind.ts'
import { factLines, type Message } from './message.ts'

const TEMPLATE_CHARS_MAX = 16_384
/** Each placeholder can expand to all facts of a message. */
const PLACEHOLDERS_MAX = 100

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** The placeholders of a template. */
const VALUES: Readonly<Record<string, (message: Message) => string>> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  severity: ({ severity }) => severity,
  at: ({ at }) => at,
  title: ({ title }) => title,
  text: (message) => [message.title, ...factLines(message)].map(chatText).concat(linkOf(message)).join('\n'),
  facts: (message) => factLines(message).join('\n'),
  link: (message) => linkOf(message).join(''),
  nodes: ({ nodes }) => nodes.join(', '),
  count: ({ nodeCount }) => String(nodeCount),
  alarm: ({ alarms, id }) => alarms[0]?.id ?? id,
}

const linkOf = ({ link }: Message): readonly string[] => (link === undefined ? [] : [link])

/** A JSON document in whose strings placeholders are replaced. */
const Template = v.pipe(
  v.union([v.string(), v.record(v.string(), v.unknown())]),
  v.transform((given) => (typeof given === 'string' ? given : JSON.stringify(given))),
  v.maxLength(TEMPLATE_CHARS_MAX),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? problemOf(dataset.value) : undefined
    if (message !== undefined) addIssue({ message })
  }),
)

/** Members of a webhook that only a server can use. */
export const WEBHOOK_MEMBERS = {
  secret: v.optional(/* @__PURE__ */ lineOf(1_000)),
  template: v.optional(Template),
}

export const WEBHOOK_FIELDS: Readonly<Record<keyof typeof WEBHOOK_MEMBERS, Omit<Field, 'schema'>>> = {
  secret: {
    secret: 'token',
    isOptional: true,
    options: [],
    initial: '',
    label: 'Signing secret',
    hint: 'Optional. The receiver verifies X-Immune-Signature with it.',
  },
  template: {
    input: 'multiline',
    isOptional: true,
    options: [],
    initial: '',
    label: 'Template',
    hint: 'Optional. JSON with placeholders in its strings, such as {"text": "{{title}}"}. Empty: the dashboard’s own document.',
  },
}

function problemOf(template: string): string | undefined {
  const names = Array.from(template.matchAll(PLACEHOLDER), ([, name = '']) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(VALUES, name))
  if (unknown !== undefined)
    return `has the unknown placeholder {{${unknown}}}: use ${Object.keys(VALUES).join(', ')}`
  if (names.length > PLACEHOLDERS_MAX) return `has more than ${PLACEHOLDERS_MAX} placeholders`
  try {
    JSON.parse(template, (_name, part: unknown) => part)
    return undefined
  } catch {
    return 'is not JSON' // The text of a SyntaxError differs between engines.
  }
}

/** Inserts values into the strings of the parsed template, so that none can add a member. */
export const renderTemplate = (template: string, message: Message, indent?: number): string =>
  JSON.stringify(
    JSON.parse(template, (_name, part: unknown) =>
      typeof part === 'string'
        ? part.replace(PLACEHOLDER, (_all, name: string) => VALUES[name.trim()]?.(message) ?? '')
        : part,
    ),
    undefined,
    indent,
  )

/** The body as a person sees it; undefined while it is not a template. */
export function templatePreview(template: string, message: Message): string | undefined {
  const parsed = v.safeParse(Template, template)
  return parsed.success ? renderTemplate(parsed.output, message, 2) : undefined
}
