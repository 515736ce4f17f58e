import * as v from 'valibot'
import { MessageSchema, type Message } from '#receivers/message.ts'

/** Text that attempts every markup, a mention, a line break and a link. */
export const HOSTILE =
  '<!channel> <@U1> @everyone @here *b* _i_ `c` [x](http://evil.example) <b>&amp;</b>\r\nSubject: x\u202e {{a}} "\\'

export const message = (changed: Readonly<Record<string, unknown>> = {}): Message =>
  v.parse(MessageSchema, {
    version: 1,
    id: 'n1',
    kind: 'problem',
    reason: 'raised',
    severity: 'critical',
    at: '2026-11-27T03:00:00.000Z',
    title: 'Critical: Heartbeat too old, alpha',
    link: 'https://dash.example/#/alarms?alarm=a1',
    facts: [
      { name: 'Value', text: '3 m 20 s, limit 3 m 00 s' },
      { name: 'First step', text: 'Restart the node.' },
    ],
    nodes: ['alpha'],
    nodeCount: 1,
    alarms: [{ id: 'a1' }],
    ...changed,
  })

export const hostile = (): Message =>
  message({ title: HOSTILE, facts: [{ name: HOSTILE, text: HOSTILE }], nodes: [HOSTILE] })
