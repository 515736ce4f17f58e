/** Frequency in Hz, start and duration in seconds. */
export type Tone = { readonly hz: number; readonly fromS: number; readonly forS: number }

/**
 * `trying`: the browser has not decided yet. `blocked`: the browser allows sound only after an interaction. `unsupported`: no
 * Web Audio.
 */
export type SoundState = 'trying' | 'ready' | 'blocked' | 'unsupported'

/**
 * Plays sound with Web Audio, which needs no file and so no server. The context runs only while a sound plays; otherwise its
 * thread would occupy the CPU and the sound device for weeks.
 */
export function createSoundOutput() {
  const context = newContext()
  const heard = new Set<() => void>()
  let state: SoundState = context === undefined ? 'unsupported' : 'trying'
  let sounding = 0

  const become = (next: SoundState): void => {
    if (next === state) return
    state = next
    for (const changed of heard) changed()
  }
  const rest = (): void => {
    if (sounding === 0 && context?.state === 'running') context.suspend().catch(() => undefined)
  }
  // A suspended context looks like a blocked one, so only a running one proves permission.
  const look = (): void => {
    if (context?.state === 'running') become('ready')
    rest()
  }
  context?.addEventListener('statechange', look)

  const run = async (): Promise<boolean> => {
    if (context === undefined) return false
    const isRunning = await resumed(context)
    become(isRunning ? 'ready' : 'blocked')
    return isRunning
  }
  /** Tries to unlock sound. Works just after an interaction, or if the browser is configured to allow it. */
  const unblock = async (): Promise<SoundState> => {
    if (state !== 'ready') await run()
    rest()
    return state
  }
  const play = async (tones: readonly Tone[], volume: number): Promise<void> => {
    if (context === undefined || state !== 'ready') return
    sounding++
    // Permission is gone or the sound device is missing; the state shows that.
    if (await run()) await Promise.all(tones.map((tone) => played(context, tone, volume)))
    sounding--
    rest()
  }
  void unblock()

  return {
    state: (): SoundState => state,
    unblock,
    /** Calls `changed` when the state may have changed. Returns a function that stops it. */
    watch: (changed: () => void) => {
      heard.add(changed)
      // Any interaction unlocks sound, so that no button is needed.
      const touched = (): void => void unblock()
      for (const sign of SIGNS) addEventListener(sign, touched, { passive: true, capture: true })
      return () => {
        heard.delete(changed)
        for (const sign of SIGNS) removeEventListener(sign, touched, { capture: true })
      }
    },
    /** Plays the tones in sequence; `volume` is 0 to 1. Does nothing while blocked. */
    play: (tones: readonly Tone[], volume: number): void => void play(tones, volume),
  }
}

const SIGNS = ['pointerdown', 'keydown', 'touchend'] as const

function newContext(): AudioContext | undefined {
  try {
    return new AudioContext()
  } catch {
    return undefined // This computer has no audio, or the page has too many contexts.
  }
}

/** Resolves to whether the context runs. `resume` never settles while sound is blocked, hence the limit. */
async function resumed(context: AudioContext): Promise<boolean> {
  try {
    const late = new Promise<boolean>((done) => setTimeout(() => done(false), RESUME_LIMIT_MS))
    return await Promise.race([context.resume().then(() => true), late])
  } catch {
    return false // The context was closed.
  }
}

/** A busy computer takes time to open the sound device. */
const RESUME_LIMIT_MS = 2_000

/** Fade in and out, because a tone without them clicks. */
const EDGE_S = 0.01
/** A tone that is late by this much never ends, because its device is gone. */
const LATE_MS = 5_000

async function played(context: AudioContext, { hz, fromS, forS }: Tone, volume: number): Promise<void> {
  const from = context.currentTime + fromS
  const oscillator = new OscillatorNode(context, { type: 'triangle', frequency: hz })
  const gain = new GainNode(context, { gain: 0 })
  gain.gain.setValueAtTime(0, from)
  gain.gain.linearRampToValueAtTime(volume, from + EDGE_S)
  gain.gain.setValueAtTime(volume, from + forS - EDGE_S)
  gain.gain.linearRampToValueAtTime(0, from + forS)
  oscillator.connect(gain).connect(context.destination)
  oscillator.start(from)
  oscillator.stop(from + forS)
  await new Promise<void>((done) => {
    const late = setTimeout(done, (fromS + forS) * 1_000 + LATE_MS)
    const ended = (): void => {
      clearTimeout(late)
      done()
    }
    oscillator.addEventListener('ended', ended, { once: true })
  })
  gain.disconnect()
}
