import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AlarmNotification } from '#alarms/alarm.ts'
import { CHANNEL_DEFAULTS, type Channels } from '#alarms/channels.ts'
import { createAlarmNotifier } from '#app/alarm-notifier.ts'
import { alarm, facts, notice } from '#test/core/delivery/outgoing.ts'

const shown: [title: string, options: NotificationOptions][] = []
let closed: string[] = []
const made: EventTarget[] = []

class FakeNotification extends EventTarget {
  static readonly permission = 'granted'
  readonly #tag: string
  constructor(title: string, options: NotificationOptions) {
    super()
    this.#tag = options.tag ?? ''
    shown.push([title, options])
    made.push(this)
  }
  close(): void {
    closed.push(this.#tag)
  }
}

beforeEach(() => {
  shown.length = 0
  closed = []
  vi.stubGlobal('Notification', FakeNotification)
  vi.stubGlobal('isSecureContext', true)
})

const told = (given: Partial<AlarmNotification>, ids: readonly string[] = ['a']): AlarmNotification => {
  const alarms = ids.map((id) => alarm(id, { severity: given.severity ?? 'critical' }))
  return { ...notice('1', given.kind ?? 'problem', alarms), group: 'g', ...given }
}
const notifier = (channels: Partial<Channels> = {}) => {
  const notify = createAlarmNotifier(facts)
  return (given: Partial<AlarmNotification>, ids?: readonly string[]) =>
    notify(told(given, ids), { ...CHANNEL_DEFAULTS, vibration: 'off', ...channels })
}

describe('a notification', () => {
  it('for a single alarm shows the alarm’s name and details', () => {
    notifier()({})
    expect(shown).toEqual([
      [
        'Critical: a: heartbeat too old',
        {
          body: 'It beat 200 s ago.',
          tag: 'g',
          renotify: true,
          requireInteraction: true,
          icon: '/favicon.svg',
        },
      ],
    ])
  })

  it('for many alarms shows their number and names the first three', () => {
    const ids = Array.from({ length: 20 }, (_, index) => `n${index}`)
    notifier()({ count: 1_000 }, ids)
    notifier()({}, ['a', 'b'])
    notifier()({ severity: 'warning', count: 1_000 }, ids)
    expect(shown.map(([title]) => title)).toEqual([
      '1000 new alarms, some critical',
      '2 new alarms, 2 critical',
      '1000 new alarms',
    ])
    expect(shown.map(([, { requireInteraction }]) => requireInteraction)).toEqual([true, true, false])
    expect(shown[0]?.[1].body).toBe('n0: heartbeat too old\nn1: heartbeat too old\nn2: heartbeat too old')
  })

  it('appears from the chosen severity up, and again when the alarm worsens, but not as a reminder', () => {
    const notify = notifier({ notifications: 'critical' })
    notify({ severity: 'warning' })
    expect(shown).toEqual([])
    notify({ kind: 'reminder', reason: 'worse' })
    notify({ kind: 'reminder', reason: 'again' })
    expect(shown).toHaveLength(1)
    notifier({ notifications: 'off' })({})
    expect(shown).toHaveLength(1)
  })

  it('opens its alarm on click, or all alarms if it covers several', () => {
    const page = { hash: '' }
    vi.stubGlobal('location', page)
    vi.stubGlobal('window', { focus: () => undefined })
    const clicked = (...ids: readonly string[]): string => {
      notifier()({ count: ids.length }, ids)
      made.at(-1)?.dispatchEvent(new Event('click'))
      return page.hash
    }
    expect([clicked('a'), clicked('a', 'b')]).toEqual(['#/alarms?alarm=a', '#/alarms'])
  })

  it('closes when all of its alarms have cleared', () => {
    const notify = notifier()
    notify({ count: 2 }, ['a', 'b'])
    notify({}, ['c'])
    notify({ kind: 'recovery', count: 2 })
    expect(closed).toEqual([])
    notify({ kind: 'recovery', count: 1 })
    expect(closed).toEqual(['g'])
    notify({ kind: 'recovery', count: 1 })
    expect(closed).toEqual(['g'])
    expect(shown).toHaveLength(2)
  })
})
