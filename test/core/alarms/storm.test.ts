import { expect, it } from 'vitest'
import { createAlarmNews } from '#alarms/announcements.ts'
import { SOUND_EVERY_MS, createSoundPlan } from '#alarms/sound-plan.ts'
import { judge } from './evaluated.ts'

const EVERY_MS = 15_000
const NODES = 15

/** The sounds, announcements and notifications while all nodes turn bad at once. */
async function storm(word: string) {
  const screen = judge(Array.from({ length: NODES }, () => `ok ${word}`))
  const plan = createSoundPlan()
  const news = createAlarmNews()
  const soundsMs: number[] = []
  const raised: string[] = []
  const hear = (): void => {
    const view = screen.view()
    const nowMs = screen.monitor.nowMs()
    if (plan.next(view, 'critical', nowMs, view.wallMs) !== undefined) soundsMs.push(nowMs)
    raised.push(...news(view).raised.map(({ kind, memberCount }) => `${kind} ${memberCount}`))
  }
  await screen.clock.advance(EVERY_MS)
  for (let left = 8; left > 0; left--)
    for (let second = 0; second < EVERY_MS / 1_000; second++) {
      await screen.clock.advance(1_000)
      hear()
    }
  return { screen, soundsMs, raised }
}

it.each([
  ['err401', 'key-rejected 1', 1],
  ['err404', `rejected ${NODES}`, NODES],
  ['down', 'unreachable 1', 1],
  ['hang', 'unreachable 1', 1],
  ['hb=400', `heartbeat-old ${NODES}`, NODES],
  ['RETIRED', `status-left ${NODES}`, NODES],
])(
  'all nodes failing at once with %s send one notification (%s) and sound at most every 30 s',
  async (word, told, count) => {
    const { screen, soundsMs, raised } = await storm(word)
    const problems = screen.notices.filter(({ kind }) => kind === 'problem')
    expect(new Set(problems.map(({ group }) => group)).size).toBe(problems.length)
    const ofNodes = problems.filter(({ group }) => !group.endsWith('screen'))
    expect(ofNodes.map((notice) => [notice.count, notice.reason])).toEqual([[count, 'raised']])
    expect(screen.notices.filter(({ kind }) => kind === 'recovery')).toEqual([])
    expect(raised.filter((one) => !one.startsWith('throttled'))[0]).toBe(told)
    const gapsMs = soundsMs.slice(1).map((atMs, index) => atMs - (soundsMs[index] ?? 0))
    expect(gapsMs.filter((gapMs) => gapMs < SOUND_EVERY_MS)).toEqual([])
  },
)
