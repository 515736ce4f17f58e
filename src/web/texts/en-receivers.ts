import { RECEIVER_FORMATS } from '#receivers/kinds.ts'
import type { AnyFormat } from '#receivers/kind.ts'
import type { Message } from '#receivers/message.ts'
import { isAddressKind } from '#settings/receiver-traits.ts'
import { channelTexts } from './en-channels.ts'

/** The kind itself if it is one of a newer version. */
export function receiverKindName(kind: string): string {
  const formats: Readonly<Partial<Record<string, AnyFormat>>> = RECEIVER_FORMATS
  return isAddressKind(kind) ? channelTexts.receivers.kinds[kind] : (formats[kind]?.name ?? kind)
}

/** For the preview of a message. */
export const sampleMessage: Message = {
  version: 1,
  id: 'sample',
  kind: 'problem',
  reason: 'raised',
  severity: 'critical',
  at: '2026-06-01T03:00:00.000Z',
  title: 'Critical: Heartbeat too old, vela-007',
  link: 'https://dashboard.example/#/alarms',
  facts: [
    { name: 'Value', text: '3 m 20 s, limit 3 m' },
    { name: 'Since', text: '2026-06-01 02:56:40 UTC, 3 m 20 s ago' },
    { name: 'What this means', text: 'The service has received no heartbeat from the node for too long.' },
    { name: 'First step', text: 'Check that the node’s process is running and that its clock is right.' },
  ],
  nodes: ['vela-007'],
  nodeCount: 1,
  missed: 0,
  alarms: [],
}
