import * as v from 'valibot'
import { textFingerprint } from '#base/fingerprint.ts'
import { HttpUrl, jsonRequest, lineOf, readStatus, receiverFormat } from './kind.ts'
import { LINK_WORDS, fitting, type Message } from './message.ts'
import { endpoint } from './rendering.ts'

const ACTIONS = {
  problem: 'trigger',
  reminder: 'trigger',
  test: 'trigger',
  acknowledged: 'acknowledge',
  recovery: 'resolve',
} as const

/**
 * An integration of a service, Events API v2. Each alarm is one incident from trigger to resolve, by its id; triggers
 * with the id of an open incident add to it.
 */
export const PAGERDUTY = receiverFormat({
  name: 'PagerDuty',
  text: 'One incident for each alarm: triggered, acknowledged and resolved with it.',
  docs: 'https://developer.pagerduty.com/docs/send-alert-event',
  entries: {
    key: v.pipe(lineOf(32), v.regex(/^[0-9a-z]{32}$/i, 'must be 32 letters and digits')),
    url: v.optional(HttpUrl, 'https://events.pagerduty.com'),
  },
  fields: {
    key: {
      secret: 'token',
      label: 'Integration key',
      hint: 'Add the integration “Events API V2” to a service and copy its key.',
    },
    url: { input: 'url', label: 'Server', hint: 'For accounts in the EU: https://events.eu.pagerduty.com.' },
  },
  requests: ({ key, url }, message) =>
    eventsOf(message).map((event) =>
      jsonRequest(endpoint(url, 'v2/enqueue'), { routing_key: key, ...event }),
    ),
  // A wrong key is a 400 too, but does not blame the event.
  read: (answer) =>
    answer.status === 400 && /routing[ _]key/i.test(answer.body) ? { kind: 'failed' } : readStatus(answer),
})

function eventsOf(message: Message): readonly object[] {
  const { id, kind, title, severity, link, alarms } = message
  const action = ACTIONS[kind]
  const each: Message['alarms'] = alarms.length > 0 ? alarms : [{ id }]
  return each.map((alarm) => ({
    event_action: action,
    dedup_key: alarm.id.length <= 255 ? alarm.id : textFingerprint(alarm.id),
    ...(action === 'trigger' &&
      triggerOf(message, { title, severity, ...(link !== undefined && { link }), ...alarm })),
  }))
}

function triggerOf(
  { facts, at }: Message,
  { title, severity, link, nodeName }: Message['alarms'][number],
): object {
  return {
    client: 'immune node dashboard',
    ...(link !== undefined && { client_url: link, links: [{ href: link, text: LINK_WORDS }] }),
    payload: {
      summary: fitting(title ?? '', 1_024),
      source: nodeName ?? 'immune node dashboard',
      severity,
      timestamp: at,
      custom_details: Object.fromEntries(facts.map(({ name, text }) => [name, text])),
    },
  }
}
