import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmId, AlarmSeverity, Notice, NoticeReason } from './alarm.ts'
import { groupOf, viewOf, type Around } from './group.ts'
import { isLouder, type Instance } from './instance.ts'

const SHOWN_MAX = 20

/** How long a group waits for more of its kind, before it is told first and again. */
export type Patience = { readonly waitMs: number; readonly againMs: number }

export const patienceOf = ({ subject }: Instance, pollIntervalMs: number): Patience => ({
  // What is of the screen itself has nothing to wait for.
  waitMs:
    subject.kind === 'screen'
      ? 0
      : Math.min(DEFAULTS.alarmGroupWaitMaxMs, DEFAULTS.alarmGroupIntervals * pollIntervalMs),
  againMs: Math.min(DEFAULTS.alarmGroupAgainMaxMs, DEFAULTS.alarmGroupAgainIntervals * pollIntervalMs),
})

type Group = {
  /** Since when something waits to be told. */
  problemMs: number | undefined
  recoveryMs: number | undefined
  toldMs: number
  remindedMs: number
}

type Wants = { problem: Instance[]; recovery: Instance[]; worse: Instance[]; critical: Instance[] }

/** `told`: what each of the alarms that were told is now told as. */
export type Told = {
  readonly notices: readonly Notice[]
  readonly told: ReadonlyMap<AlarmId, AlarmSeverity | undefined>
}

export type Notifier = {
  /** What is to be told now. */
  readonly step: (instances: Iterable<Instance>, around: Around) => Told
  /** The end of alarms whose node or rule is gone: told at once, to those who were told of them. */
  readonly closed: (
    gone: readonly Instance[],
    reason: 'node-removed' | 'rule-removed',
    around: Around,
  ) => readonly Notice[]
}

/**
 * Whom people are called for. An alarm is told once, and its end once; alarms of one group that
 * come together are told together. What a bigger alarm explains, what is shelved, in maintenance or
 * acknowledged is not told.
 */
export function createNotifier(patience: (instance: Instance) => Patience): Notifier {
  const groups = new Map<string, Group>()
  let lastId = 0
  const noticeOf: NoticeMaker = (kind, reason, group, members, around) => ({
    id: `${around.wallMs} ${++lastId}`,
    kind,
    reason,
    group,
    severity: members.reduce<AlarmSeverity>(
      (worst, one) => (isLouder(one.severity, worst) ? one.severity : worst),
      'info',
    ),
    count: members.length,
    alarms: members.slice(0, SHOWN_MAX).flatMap((one) => viewOf(one.id, [one], around) ?? []),
    wallMs: around.wallMs,
  })

  return {
    step: (instances, around) => {
      const wants = wantsOf(instances, around)
      for (const [name, group] of groups)
        if (!wants.has(name) && around.awakeMs - group.toldMs > FORGOTTEN_MS) groups.delete(name)
      const notices: Notice[] = []
      const told = new Map<AlarmId, AlarmSeverity | undefined>()
      for (const [name, want] of wants) {
        const group = groups.get(name) ?? newGroup(around.awakeMs)
        groups.set(name, group)
        for (const word of wordsOf(group, want, around.awakeMs, patience)) {
          notices.push(noticeOf(word.kind, word.reason, name, word.members, around))
          for (const one of word.members) told.set(one.id, word.as(one))
        }
      }
      return { notices, told }
    },
    closed: (gone, reason, around) => {
      const byGroup = new Map<string, Instance[]>()
      for (const one of gone)
        if (one.told !== undefined) byGroup.set(groupOf(one), [...(byGroup.get(groupOf(one)) ?? []), one])
      return Array.from(byGroup, ([name, members]) => noticeOf('recovery', reason, name, members, around))
    },
  }
}

type NoticeMaker = (
  kind: Notice['kind'],
  reason: NoticeReason,
  group: string,
  members: readonly Instance[],
  around: Around,
) => Notice

const newGroup = (awakeMs: number): Group => ({
  problemMs: undefined,
  recoveryMs: undefined,
  toldMs: Number.NEGATIVE_INFINITY,
  remindedMs: awakeMs,
})

/** One notice, and as what each of its alarms is told from then on. */
type Word = {
  readonly kind: Notice['kind']
  readonly reason: NoticeReason
  readonly members: readonly Instance[]
  readonly as: (one: Instance) => AlarmSeverity | undefined
}

/** What is due for one group; its waits go on or begin anew. */
function wordsOf(
  group: Group,
  { problem, recovery, worse, critical }: Wants,
  awakeMs: number,
  patience: (instance: Instance) => Patience,
): readonly Word[] {
  const [first] = [...problem, ...recovery, ...worse, ...critical]
  if (first === undefined) return []
  const { waitMs, againMs } = patience(first)
  const words: Word[] = []
  const isSince = (sinceMs: number | undefined): boolean =>
    sinceMs !== undefined && awakeMs - sinceMs >= waitMs
  group.problemMs = problem.length === 0 ? undefined : (group.problemMs ?? awakeMs)
  group.recoveryMs = recovery.length === 0 ? undefined : (group.recoveryMs ?? awakeMs)
  if (isSince(group.problemMs) && awakeMs - group.toldMs >= againMs) {
    const reason = problem.every((one) => one.flapping) ? 'flapping' : 'raised'
    words.push({ kind: 'problem', reason, members: problem, as: ({ severity }) => severity })
    group.problemMs = undefined
    group.toldMs = awakeMs
  }
  if (isSince(group.recoveryMs)) {
    words.push({ kind: 'recovery', reason: 'cleared', members: recovery, as: () => undefined })
    group.recoveryMs = undefined
  }
  if (worse.length > 0)
    words.push({ kind: 'reminder', reason: 'worse', members: worse, as: ({ severity }) => severity })
  if (critical.length > 0 && awakeMs - group.remindedMs >= DEFAULTS.alarmReminderMs)
    words.push({ kind: 'reminder', reason: 'again', members: critical, as: ({ told }) => told })
  if (words.length > 0) group.remindedMs = awakeMs
  return words
}

/** A group of which nothing was heard for so long is forgotten; none waits longer. */
const FORGOTTEN_MS = 2 * DEFAULTS.alarmGroupAgainMaxMs

function wantsOf(instances: Iterable<Instance>, around: Around): ReadonlyMap<string, Wants> {
  const wants = new Map<string, Wants>()
  const of = (one: Instance): Wants => {
    const name = groupOf(one)
    const found = wants.get(name) ?? { problem: [], recovery: [], worse: [], critical: [] }
    wants.set(name, found)
    return found
  }
  for (const one of instances) {
    const isOn = one.phase === 'firing' || one.phase === 'recovering'
    // While it comes and goes, only its first problem is told; how it ended is told when it has settled.
    if (one.told !== undefined && !isOn) {
      if (!one.flapping && one.phase === 'normal') of(one).recovery.push(one)
      continue
    }
    const isQuiet =
      one.shelved !== undefined ||
      one.acknowledged !== undefined ||
      around.inhibitedBy.has(one.id) ||
      around.inMaintenance(one)
    // What comes and goes too fast to be told each time is told as that, also while it is just gone.
    const comesAndGoes = one.flapping && one.unseen
    if (!(isOn || comesAndGoes) || isQuiet) continue
    if (one.told === undefined) {
      if (one.phase === 'firing' || one.flapping) of(one).problem.push(one)
    } else if (isLouder(one.severity, one.told)) of(one).worse.push(one)
    else if (one.severity === 'critical') of(one).critical.push(one)
  }
  return wants
}
