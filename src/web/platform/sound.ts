/** A tone: Hz, seconds from the beginning, and seconds that it lasts. */
export type Tone = { readonly hz: number; readonly fromS: number; readonly forS: number }

/**
 * `trying`: this page has just been opened, and the browser has not said yet. `blocked`: it lets this
 * page make no sound before somebody touches it. `unsupported`: there is no way to make one.
 */
export type SoundState = 'trying' | 'ready' | 'blocked' | 'unsupported'

export type SoundOutput = {
  readonly state: () => SoundState
  /** Called when the state may have changed. Returns the end of it. */
  readonly watch: (changed: () => void) => () => void
  /** Tries to be let; works where somebody has just touched the page, or the browser was started to allow it. */
  readonly unblock: () => Promise<SoundState>
  /** Plays the tones one after the other; `volume` from 0 to 1. Nothing where it is blocked. */
  readonly play: (tones: readonly Tone[], volume: number) => void
}

/**
 * Sound by Web Audio: there is no file to load, so that an alarm sounds without any server. It runs
 * only while something sounds: otherwise its thread would work, and hold the sound device, for weeks.
 */
export function createSoundOutput(): SoundOutput {
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
  // That it once ran is the only sign of leave there is; a context at rest looks as a blocked one does.
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
  const unblock = async (): Promise<SoundState> => {
    if (state !== 'ready') await run()
    rest()
    return state
  }
  const play = async (tones: readonly Tone[], volume: number): Promise<void> => {
    if (context === undefined || state !== 'ready') return
    sounding++
    // Not let any more, or the sound device is gone: the state says so.
    if (await run()) await Promise.all(tones.map((tone) => played(context, tone, volume)))
    sounding--
    rest()
  }
  void unblock()

  return {
    state: () => state,
    unblock,
    watch: (changed) => {
      heard.add(changed)
      // Any touch of the page is leave enough, so nobody has to look for a button.
      const touched = (): void => void unblock()
      for (const sign of SIGNS) addEventListener(sign, touched, { passive: true, capture: true })
      return () => {
        heard.delete(changed)
        for (const sign of SIGNS) removeEventListener(sign, touched, { capture: true })
      }
    },
    play: (tones, volume) => void play(tones, volume),
  }
}

const SIGNS = ['pointerdown', 'keydown', 'touchend'] as const

function newContext(): AudioContext | undefined {
  try {
    return new AudioContext()
  } catch {
    return undefined // no audio on this computer, or too many contexts
  }
}

/** Whether it could be made to run. One that may not begin leaves its promise open for ever. */
async function resumed(context: AudioContext): Promise<boolean> {
  try {
    const late = new Promise<boolean>((done) => setTimeout(() => done(false), RESUME_LIMIT_MS))
    return await Promise.race([context.resume().then(() => true), late])
  } catch {
    return false // it was closed
  }
}

/** A busy computer takes a while to open its sound device. */
const RESUME_LIMIT_MS = 2_000

/** A tone that begins or ends at once clicks. */
const EDGE_S = 0.01
/** What lasts so much longer than it should will not end: its device is gone. */
const LATE_MS = 5_000

/** Resolves when the tone is over. */
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
