import { draw, type SeedWords } from './random.ts'

export type NodeState = {
  readonly status: string
  /** Whole units. */
  readonly stake: number
  /** A ratio with four decimals. */
  readonly participation: number
  /** Since the node's last restart. */
  readonly threatResponses: number
  /** Unix time in whole seconds. */
  readonly lastHeartbeat: number
}

export const DEFAULT_SEED = 'first-light'
export const NODES_MAX = 100_000

/** A node restarts once in each window of this length, at a time of its own: about every 12 days. */
const LIFE_WINDOW_S = 2 ** 20
/** How long it is silent before the restart, and how long it is starting afterwards. */
const SILENCE_S = { least: 45, most: 150 }
const STARTING_S = 30
const HEARTBEAT_S = 15
const HEARTBEAT_JITTER_S = 2
const HEARTBEAT_MISSED = 1 / 250
const STAKE_SLOT_S = 2 ** 17

/**
 * The state of node `index` at a time, a pure function of its arguments. Nothing is stored or counted up, so a restart of the
 * service loses nothing and a run can be repeated exactly.
 */
export function stateAt(seed: SeedWords, index: number, atMs: number): NodeState {
  const atS = Math.floor(atMs / 1_000)
  const life = lifeAt(seed, index, atS)
  const awakeUntilS = Math.min(atS, life.silentFromS)
  return {
    status: atS - life.startedS < STARTING_S ? 'STARTING' : 'ACTIVE',
    stake: stakeAt(seed, index, atS),
    participation: participationAt(seed, index, atS),
    threatResponses: threatCount(seed, index, life.number, awakeUntilS - life.startedS),
    lastHeartbeat: Math.max(life.startedS, lastHeartbeatAt(seed, index, awakeUntilS)),
  }
}

type Life = { readonly number: number; readonly startedS: number; readonly silentFromS: number }

function lifeAt(seed: SeedWords, index: number, atS: number): Life {
  const shiftS = Math.floor(draw(seed, index, 1) * LIFE_WINDOW_S)
  const window = Math.floor((atS + shiftS) / LIFE_WINDOW_S)
  const restartS = (number: number): number =>
    number * LIFE_WINDOW_S - shiftS + Math.floor(draw(seed, index, 2, number) * LIFE_WINDOW_S)
  const number = restartS(window) <= atS ? window : window - 1
  const startedS = restartS(number)
  const silentS = SILENCE_S.least + draw(seed, index, 3, number) * (SILENCE_S.most - SILENCE_S.least)
  return {
    number,
    startedS,
    silentFromS: Math.max(startedS, restartS(number + 1) - Math.floor(silentS)),
  }
}

function lastHeartbeatAt(seed: SeedWords, index: number, atS: number): number {
  const phaseS = draw(seed, index, 4) * HEARTBEAT_S
  const slot = Math.floor((atS - phaseS) / HEARTBEAT_S)
  const heartbeatS = (number: number): number =>
    Math.floor(phaseS + number * HEARTBEAT_S + (2 * draw(seed, index, 5, number) - 1) * HEARTBEAT_JITTER_S)
  for (let number = slot + 1; number > slot - 3; number--) {
    if (heartbeatS(number) <= atS && draw(seed, index, 6, number) >= HEARTBEAT_MISSED)
      return heartbeatS(number)
  }
  return heartbeatS(slot - 3)
}

function participationAt(seed: SeedWords, index: number, atS: number): number {
  const drift =
    0.0025 * wave(seed, index, 7, atS / 1_200) +
    0.004 * wave(seed, index, 8, atS / 9_000) +
    0.004 * wave(seed, index, 9, atS / 86_400)
  const value = 0.978 + 0.01 * draw(seed, index, 10) + drift
  return Math.round(Math.min(0.9999, Math.max(0.95, value)) * 10_000) / 10_000
}

/** Smooth noise in [-1, 1]: random levels at whole numbers, joined by an S curve. */
function wave(seed: SeedWords, index: number, channel: number, position: number): number {
  const left = Math.floor(position)
  const part = position - left
  const level = (at: number): number => 2 * draw(seed, index, channel, at) - 1
  return level(left) + (level(left + 1) - level(left)) * part * part * (3 - 2 * part)
}

/** Around a million, changed by some thousands about every 36 hours at irregular times. */
function stakeAt(seed: SeedWords, index: number, atS: number): number {
  const slot = Math.floor(atS / STAKE_SLOT_S)
  const movesAtS = (slot + draw(seed, index, 11, slot)) * STAKE_SLOT_S
  const level = atS >= movesAtS ? slot : slot - 1
  const base = 800_000 + 500_000 * draw(seed, index, 12)
  const moved = base * (1 + 0.05 * (2 * draw(seed, index, 13, level) - 1))
  return Math.round(moved / 500) * 500
}

const CONSTELLATIONS = [
  'vela',
  'orion',
  'lyra',
  'cygnus',
  'draco',
  'hydra',
  'corvus',
  'aquila',
  'perseus',
  'carina',
  'pavo',
  'phoenix',
] as const

/** A display name: "vela-001" for index 0. The service itself has no names. */
export const demoName = (index: number): string =>
  `${CONSTELLATIONS[index % CONSTELLATIONS.length] ?? 'node'}-${String(index + 1).padStart(3, '0')}`

/**
 * Threat responses in the first `elapsedS` seconds of a life: 2 to 6 a minute, with swings within the minute and the hour. A
 * wave rises by at most 3 per step, so the rate stays above a tenth of its mean and the counter never decreases.
 */
export function threatCount(seed: SeedWords, node: number, life: number, elapsedS: number): number {
  const perSecond = (2 + 4 * draw(seed, node, 20)) / 60
  const start = life * LIFE_WINDOW_S
  const swing = (channel: number, periodS: number): number =>
    wave(seed, node, channel, start + elapsedS / periodS) - wave(seed, node, channel, start)
  return Math.floor(perSecond * (elapsedS + 10 * swing(21, 60) + 480 * swing(22, 3_600)))
}
