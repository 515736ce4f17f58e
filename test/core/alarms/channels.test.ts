import { describe, expect, it } from 'vitest'
import { CHANNEL_DEFAULTS, reachesLevel, readChannels, SENDING_MAX } from '#alarms/channels.ts'

const HOOK = {
  id: 'h',
  kind: 'webhook',
  via: 'relay',
  name: 'Chat',
  from: 'critical',
  everyMs: 300_000,
  silences: false,
  screenAlarms: false,
} as const

describe('the notification settings of this browser', () => {
  it('are read as they were written', () => {
    const whole = {
      version: 1,
      sound: 'off',
      volume: 0,
      notifications: 'info',
      vibration: 'warning',
      sendTo: [
        HOOK,
        { ...HOOK, id: 'n', kind: 'of-a-newer-version' },
        { ...HOOK, id: 'd', via: 'direct', url: 'https://a.example/' },
        { ...HOOK, id: 'am', kind: 'alertmanager', silences: true, screenAlarms: true },
      ],
    }
    expect(readChannels(structuredClone(whole))).toEqual(whole)
  })

  it.each([undefined, null, 1, 'x', {}, { version: 2 }])('are undefined for %j', (input) =>
    expect(readChannels(input)).toBeUndefined(),
  )

  it.each([
    { version: 1 },
    { version: 1, sound: 'loud', volume: 2, notifications: 1, vibration: null, sendTo: 'x' },
    { version: 1, volume: -0.1 },
    { version: 1, volume: 1.01 },
    { version: 1, volume: '0.5' },
    { version: 1, volume: Number.NaN },
    {
      version: 1,
      sendTo: [
        null,
        1,
        { ...HOOK, id: 1 },
        { ...HOOK, name: 1 },
        { ...HOOK, kind: 1 },
        { ...HOOK, via: 'air' },
        { ...HOOK, via: 'direct' },
        { ...HOOK, kind: 'of-a-newer-version', via: 'direct', url: 'https://a.example/' },
      ],
    },
  ])('default each invalid value in %j', (input) => expect(readChannels(input)).toEqual(CHANNEL_DEFAULTS))

  it('default invalid values of a receiver and clamp its repeat interval to 1 min to 24 h', () => {
    const read = readChannels({
      version: 1,
      sendTo: [
        { ...HOOK, from: 'loud', everyMs: 'often', silences: true, screenAlarms: 'yes' },
        { ...HOOK, everyMs: 1 },
        { ...HOOK, everyMs: 1e12 },
      ],
    })
    expect(read?.sendTo).toEqual([
      { ...HOOK, from: 'warning' },
      { ...HOOK, everyMs: 60_000 },
      { ...HOOK, everyMs: 86_400_000 },
    ])
  })

  it('by default play sound and vibrate for critical, and notify for warning', () =>
    expect(readChannels({ version: 1 })).toMatchObject({
      sound: 'critical',
      notifications: 'warning',
      vibration: 'critical',
      sendTo: [],
    }))

  it('keep at most 16 receivers', () =>
    expect(readChannels({ version: 1, sendTo: Array.from({ length: 17 }, () => HOOK) })?.sendTo).toHaveLength(
      SENDING_MAX,
    ))
})

it.each([
  ['critical', 'critical', true],
  ['warning', 'critical', false],
  ['warning', 'warning', true],
  ['critical', 'info', true],
  ['info', 'warning', false],
  ['info', 'info', true],
  ['critical', 'off', false],
] as const)('%s reaches the minimum severity %s: %s', (severity, level, told) =>
  expect(reachesLevel(severity, level)).toBe(told),
)
