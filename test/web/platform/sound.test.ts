import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createSoundOutput } from '#platform/sound.ts'

const TONES = [
  { hz: 440, fromS: 0, forS: 0.2 },
  { hz: 880, fromS: 0.5, forS: 0.2 },
]

let calls: string[]
let isLet: boolean
const contexts: FakeContext[] = []
let tones: EventTarget[]

class FakeContext extends EventTarget {
  state = 'suspended'
  readonly currentTime = 0
  readonly destination = {}
  async resume(): Promise<void> {
    calls.push('resume')
    if (!isLet) return new Promise(() => undefined)
    this.become('running')
  }
  async suspend(): Promise<void> {
    calls.push('suspend')
    this.become('suspended')
  }
  become(state: string): void {
    if (this.state === state) return
    this.state = state
    queueMicrotask(() => this.dispatchEvent(new Event('statechange')))
  }
}
/** The page's only audio context. */
function context(): FakeContext {
  const [only] = contexts
  if (only === undefined) throw new Error('no context')
  return only
}

class FakeTone extends EventTarget {
  constructor() {
    super()
    tones.push(this)
  }
  connect = (to: unknown): unknown => to
  start = (atS: number): void => void calls.push(`tone at ${atS} s`)
  stop = (): void => undefined
}
class FakeGain {
  gain = { setValueAtTime: (): void => undefined, linearRampToValueAtTime: (): void => undefined }
  connect = (): void => undefined
  disconnect = (): void => undefined
}

const page = new EventTarget()
beforeEach(() => {
  calls = []
  tones = []
  isLet = true
  vi.useFakeTimers()
  vi.stubGlobal(
    'AudioContext',
    vi.fn(function make() {
      contexts.splice(0, 1, new FakeContext())
      return contexts[0]
    }),
  )
  vi.stubGlobal('OscillatorNode', FakeTone)
  vi.stubGlobal('GainNode', FakeGain)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  return () => vi.useRealTimers()
})

async function opened() {
  const output = createSoundOutput()
  expect(output.state()).toBe('trying')
  await vi.advanceTimersByTimeAsync(2_000)
  return output
}

describe('the sound device', () => {
  it('is tried once when the page opens, and then suspended', async () => {
    const output = await opened()
    expect(output.state()).toBe('ready')
    expect(calls).toEqual(['resume', 'suspend'])
    expect(context().state).toBe('suspended')
  })

  it('runs only while a tone sounds', async () => {
    const output = await opened()
    calls = []
    output.play(TONES, 1)
    output.play(TONES, 1)
    await vi.advanceTimersByTimeAsync(0)
    expect(calls).toEqual([
      'resume',
      'resume',
      'tone at 0 s',
      'tone at 0.5 s',
      'tone at 0 s',
      'tone at 0.5 s',
    ])
    for (const tone of tones.slice(0, 3)) tone.dispatchEvent(new Event('ended'))
    await vi.advanceTimersByTimeAsync(0)
    expect(context().state).toBe('running')
    tones[3]?.dispatchEvent(new Event('ended'))
    await vi.advanceTimersByTimeAsync(0)
    expect(context().state).toBe('suspended')
    expect(output.state()).toBe('ready')
  })

  it('is suspended even if a tone never reports its end', async () => {
    const output = await opened()
    output.play(TONES, 1)
    await vi.advanceTimersByTimeAsync(5_600)
    expect(context().state).toBe('running')
    await vi.advanceTimersByTimeAsync(200)
    expect(context().state).toBe('suspended')
  })

  it('is blocked by the browser until the user interacts with the page', async () => {
    isLet = false
    const output = await opened()
    expect(output.state()).toBe('blocked')
    const changed = vi.fn<() => void>()
    output.watch(changed)
    output.play(TONES, 1)
    expect(calls).toEqual(['resume'])
    isLet = true
    page.dispatchEvent(new Event('pointerdown'))
    await vi.advanceTimersByTimeAsync(0)
    expect(output.state()).toBe('ready')
    expect(changed).toHaveBeenCalledOnce()
    expect(context().state).toBe('suspended')
    calls = []
    page.dispatchEvent(new Event('keydown'))
    expect(calls).toEqual([])
  })

  it('is blocked when it fails to start, and ready when it starts late', async () => {
    const output = await opened()
    isLet = false
    output.play(TONES, 1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(output.state()).toBe('blocked')
    expect(tones).toEqual([])
    context().become('running')
    await vi.advanceTimersByTimeAsync(0)
    expect(output.state()).toBe('ready')
    expect(context().state).toBe('suspended')
  })

  it('is unsupported without an AudioContext', async () => {
    vi.stubGlobal('AudioContext', undefined)
    const output = createSoundOutput()
    output.play(TONES, 1)
    expect(await output.unblock()).toBe('unsupported')
  })
})
