import type { AlarmsView, AlarmView, AlarmNotification } from '#alarms/alarm.ts'
import type {
  AlarmFacts,
  Delivered,
  DeliveryFailure,
  MessageDetails,
  Outgoing,
  OutgoingMessage,
  OutboxStorage,
} from '#delivery/delivery-queue.ts'
import { ok, type Result } from '#base/result.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { TEST_START_MS } from '#test/support/fake-clock.ts'

const SERVICE = serviceIdOf('https://node.example')

export const alarm = (id: string, changed: Partial<AlarmView> = {}): AlarmView =>
  anAlarm({
    id,
    subject: { kind: 'node', node: nodeKeyFromText(`${SERVICE}!${id}`), serviceId: SERVICE },
    sinceWallMs: TEST_START_MS - 60_000,
    raisedWallMs: TEST_START_MS,
    value: { unit: 'ms', value: 200_000 },
    ...changed,
  })

/** An evaluation with these alarms. */
export const view = (alarms: readonly AlarmView[]): AlarmsView =>
  anAlarmsView(alarms, { wallMs: TEST_START_MS })

/** For rows without members. */
export const NO_MEMBERS = () => []

export const notice = (
  id: string,
  kind: AlarmNotification['kind'],
  alarms: readonly AlarmView[],
): AlarmNotification => ({
  id,
  kind,
  reason: kind === 'problem' ? 'raised' : kind === 'recovery' ? 'cleared' : 'again',
  group: 'heartbeat-old',
  severity: alarms[0]?.severity ?? 'critical',
  count: alarms.length,
  alarms,
  wallMs: TEST_START_MS,
})

export const facts = ({ id }: AlarmView): AlarmFacts => ({
  title: `${id}: heartbeat too old`,
  text: 'It beat 200 s ago.',
  service: 'https://node.example',
  nodeId: `0x${id}`,
  nodeName: id,
  link: `https://dash.example/#/alarms/${id}`,
})

export const receiver = (changed: Partial<Outgoing> = {}): Outgoing => ({
  id: 'r1',
  kind: 'webhook',
  postUrl: 'https://dash.example/relay/r1',
  via: 'relay',
  from: 'warning',
  everyMs: 300_000,
  silences: false,
  screenAlarms: false,
  ...changed,
})

export const NO_DETAILS: MessageDetails = { facts: [], nodes: [], nodeCount: 0 }

/** For receivers whose texts no test reads. */
export const NO_WORDS = {
  describe: facts,
  summary: () => '',
  details: () => NO_DETAILS,
  test: { text: '', link: '' },
  isWatching: () => true,
}

type Answer = Result<Delivered, DeliveryFailure>
export const TAKEN: Answer = ok({ status: 200, answer: '' })

/** A receiver in memory: records each message and gives the answer set by the test, or awaits it. */
export function mailbox() {
  const taken: OutgoingMessage[] = []
  let answer: Answer | Promise<Answer> = TAKEN
  return {
    taken,
    bodies: (): readonly unknown[] => taken.map(({ body }): unknown => JSON.parse(body)),
    ids: (): readonly unknown[] =>
      taken.map(({ body }): unknown => Reflect.get(Object(JSON.parse(body)), 'id')),
    answer: (next: Answer | Promise<Answer>): void => {
      answer = next
    },
    post: async (message: OutgoingMessage): Promise<Answer> => {
      taken.push(message)
      return answer
    },
  }
}

/** Storage that survives a reload; it returns structured clones, as a database does. */
export function outboxMemory(): OutboxStorage & { readonly kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>()
  return {
    kept,
    load: async (id) => structuredClone(kept.get(id)),
    save: async (id, value) => {
      if (value === undefined) kept.delete(id)
      else kept.set(id, structuredClone(value))
    },
  }
}
