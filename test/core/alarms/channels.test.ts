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

describe('what this browser keeps of how it tells people', () => {
  it('is read as it was written', () => {
    const whole = {
      version: 1,
      sound: 'off',
      volume: 0,
      notifications: 'info',
      vibration: 'warning',
      sendTo: [
        HOOK,
        { ...HOOK, id: 'd', via: 'direct', url: 'https://a.example/' },
        { ...HOOK, id: 'am', kind: 'alertmanager', silences: true, screenAlarms: true },
      ],
    }
    expect(readChannels(structuredClone(whole))).toEqual(whole)
  })

  it.each([undefined, null, 1, 'x', {}, { version: 2 }])('%j is none', (input) =>
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
        { ...HOOK, kind: 'pigeon' },
        { ...HOOK, via: 'air' },
        { ...HOOK, via: 'direct' },
      ],
    },
  ])('what can’t be used of %j is as by default', (input) =>
    expect(readChannels(input)).toEqual(CHANNEL_DEFAULTS),
  )

  it('a receiver’s own choices have defaults and limits', () => {
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

  it('by default what is critical is heard and felt, and from a warning on notified of', () =>
    expect(readChannels({ version: 1 })).toMatchObject({
      sound: 'critical',
      notifications: 'warning',
      vibration: 'critical',
      sendTo: [],
    }))

  it('there are at most 16 of them', () =>
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
] as const)('%s at level %s is told: %s', (severity, level, told) =>
  expect(reachesLevel(severity, level)).toBe(told),
)
