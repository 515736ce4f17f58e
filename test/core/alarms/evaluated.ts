import type { AlarmNotification, AlarmView, AlarmsView } from '#alarms/alarm.ts'
import type { StoredAlarms } from '#alarms/alarm-store.ts'
import type { AlarmTransition } from '#alarms/alarm-state.ts'
import type { SelfFacts } from '#alarms/shared-rules.ts'
import type { AlarmSettings } from '#settings/schema.ts'
import type { SignFailure } from '#signing/signer.ts'
import { type Answer, type Asked, nodeId, record, watch } from '#test/core/monitor/watch.ts'
import { explained } from '#test/core/monitor/fleet.ts'
import { onTestFinished } from 'vitest'
import { evaluator } from './one-alarm.ts'
import { readBack } from './read-back.ts'

/**
 * The answers to a node's polls, in order. Each is a status word, `ok`, a failure (`err401`, `limited` or `busy` for
 * an hour, `hang`, `html`, `down`, `empty`) or `key=value` of the record: `hb` is the heartbeat's age in seconds (`x`: unreadable), `lat`
 * the response time in ms, `clock` the offset of the service's clock in seconds. `x3` stands for three in a row; the
 * last answer repeats forever.
 */
export type Series = string

type Step = {
  readonly fields: Record<string, unknown>
  readonly answer?: Answer
  readonly afterMs?: number
  readonly clockMs?: number
}

export function stepsOf(series: Series): readonly string[] {
  return series
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      const [, what = word, times = '1'] = /^(.*?)x(\d+)$/.exec(word) ?? []
      return Array.from({ length: Number(times) }, () => what)
    })
}

function stepOf(word: string, wallMs: number): Step {
  const beat = (ageS: number) => Math.floor(wallMs / 1_000) - ageS
  if (word === 'ok') return { fields: { last_heartbeat: beat(3) } }
  if (word === 'hang') return { fields: {}, answer: 'hang' }
  if (word === 'down') return { fields: {}, answer: { fails: 'unreachable' } }
  if (word === 'limited') return { fields: {}, answer: { status: 429, retryAfter: '3600' } }
  if (word === 'busy') return { fields: {}, answer: { status: 503, retryAfter: '3600' } }
  if (word === 'html') return { fields: {}, answer: { body: '<!doctype html><title>hello</title>' } }
  if (word === 'empty') return { fields: {}, answer: { body: '' } }
  const status = /^err(\d{3})$/.exec(word)?.[1]
  if (status !== undefined) return { fields: {}, answer: { status: Number(status) } }
  const fields: Record<string, unknown> = { last_heartbeat: beat(3) }
  let afterMs: number | undefined
  let clockMs: number | undefined
  for (const part of word.split(',')) {
    const [name = '', value] = part.split('=')
    if (value === undefined) fields['status'] = name
    else if (name === 'hb') fields['last_heartbeat'] = beat(Number(value))
    else if (name === 'status') fields['status'] = Number(value)
    else if (name === 'part') fields['network_participation'] = Number(value)
    else if (name === 'stake') fields['stake_deployed'] = Number(value)
    else if (name === 'threats') fields['threat_responses_executed'] = Number(value)
    else if (name === 'proof') fields['cryptographic_proof'] = value
    else if (name === 'lat') afterMs = Number(value)
    else if (name === 'clock') clockMs = Number(value) * 1_000
    else throw new Error(`no such field in a series: ${name}`)
  }
  return { fields, ...(afterMs !== undefined && { afterMs }), ...(clockMs !== undefined && { clockMs }) }
}

/** The real engine on a fake clock; alarms are evaluated after every batch and once a second. */
export function judge(
  series: Series | readonly Series[],
  config: Parameters<typeof watch>[0] = {},
  facts: SelfFacts = {},
  /** The initial signing failure, if any. */
  unsigned?: SignFailure,
) {
  const all = typeof series === 'string' ? [series] : series
  const plans: (readonly string[])[] = all.map(stepsOf)
  const made = new Map<number, number>()
  const world = { facts, plans, unsigned }
  const answer = ({ node, wallMs }: Asked): Answer => {
    const index = Number(node) - 1
    const plan = world.plans[index % world.plans.length] ?? ['ok']
    const count = made.get(index) ?? 0
    made.set(index, count + 1)
    const step = stepOf(plan[Math.min(count, plan.length - 1)] ?? 'ok', wallMs)
    if (step.answer !== undefined) return step.answer
    return {
      body: record(node, step.fields),
      date: new Date(wallMs + (step.clockMs ?? 0)).toUTCString(),
      ...(step.afterMs !== undefined && { afterMs: step.afterMs }),
    }
  }
  const screen = watch({ nodeCount: all.length, ...config }, { answer, sign: () => world.unsigned })
  const steps: AlarmTransition[] = []
  const notices: AlarmNotification[] = []
  const make = () =>
    evaluator({ onTransition: (step) => steps.push(step), onNotification: (one) => notices.push(one) })
  let alarms = make()
  const look = (): void => {
    const [nowMs, wallMs] = [screen.monitor.nowMs(), screen.clock.wallMs()]
    alarms.evaluate(explained({ ...screen.monitor.snapshot(), nowMs, wallMs }), world.facts, nowMs, wallMs)
  }
  screen.monitor.subscribe(look)
  let cancel = (): void => undefined
  const tick = (): void => {
    look()
    cancel = screen.clock.after(1_000, tick)
  }
  tick()
  onTestFinished(() => {
    cancel()
    screen.monitor.dispose()
  })
  const view = (): AlarmsView => alarms.view()
  return {
    ...screen,
    world,
    get alarms() {
      return alarms
    },
    /** Starts another session from the stored alarms and configures its rules afterwards. */
    reload: (settings: AlarmSettings, change: (kept: StoredAlarms) => StoredAlarms = (kept) => kept) => {
      const kept = change(readBack(alarms.stored()))
      alarms = make()
      alarms.restore(kept, screen.clock.wallMs())
      alarms.configure(settings)
      look()
    },
    steps,
    notices,
    view,
    /** Starts a new series with the next poll. */
    goOn: (next: Series | readonly Series[]) => {
      made.clear()
      world.plans = (typeof next === 'string' ? [next] : next).map(stepsOf)
    },
    find: (kind: AlarmView['kind']): AlarmView | undefined => view().alarms.find((one) => one.kind === kind),
    /** A summary of every alarm, e.g. "heartbeat-old warning firing". */
    told: () =>
      view().alarms.map(({ kind, severity, phase, inhibitedBy, subject }) =>
        [kind, severity, phase, subject.kind === 'node' ? '' : subject.kind, inhibitedBy && 'explained']
          .filter(Boolean)
          .join(' '),
      ),
    names: () => steps.map(({ instance, transition }) => `${instance.kind} ${transition.name}`),
    idOf: nodeId,
  }
}
