/** How tabs beat and listen. All in ms, on this computer's own clocks. */
export type BeatLimits = {
  /** The tab that leads says so this often. */
  readonly beatMs: number
  /** It may send for this long after it last made sure that it leads; a tab that froze longer has to make sure again. */
  readonly leaseMs: number
  /** HeartbeatClock that others miss before they ask whether anybody leads, and before they take over. */
  readonly beatsBeforeAsking: number
  readonly beatsBeforeTaking: number
  /** And before the screen says that nothing is heard. */
  readonly beatsBeforeSaying: number
  /** Up to so many beats more, another number in each tab, so that they do not all take over at once. */
  readonly staggerBeats: number
}

/**
 * Where there are locks. Three beats are missed for certain when four of a tab's own have passed
 * without one; with the lease behind them another tab sends 0.75 to 0.9 s after the last beat.
 * A leader that only has slow timers answers the question in between, which needs none.
 */
export const LOCK_BEATS: BeatLimits = {
  beatMs: 150,
  leaseMs: 300,
  beatsBeforeAsking: 2,
  beatsBeforeTaking: 4,
  beatsBeforeSaying: 10,
  // Who takes the lock says so at once, and one that was quicker by a hair is robbed without harm.
  staggerBeats: 0,
}

/** Where there are none, and every beat is a lease of its own. */
export const MESSAGE_BEATS: BeatLimits = {
  beatMs: 500,
  leaseMs: 1_500,
  beatsBeforeAsking: 4,
  beatsBeforeTaking: 6,
  beatsBeforeSaying: 4,
  staggerBeats: 2,
}

/** How tabs of one browser agree on the one that asks. All in ms, on this computer's own clocks. */
export const TAB_LIMITS = {
  /** A tab that has reason to be patient waits for up to so many times as many beats, which is about five seconds. */
  patienceMax: 8,
  /** A leader that lost the lock, and was back within this time, was not frozen but slow. */
  slowMs: 10_000,
  /** A timer this late was held up itself, and what it missed says nothing about others. */
  lateMs: 2_000,
  /** A leader that is asked to yield has this long to answer. */
  yieldMs: 1_000,
  /** Where there are no locks: how long a claim waits for somebody to object. */
  claimMs: 500,
  /** A claim's timer that is later than this was held up, and so may be what others had to say. */
  graceMs: 50,
} as const
