/** How tabs of one browser agree on the one that asks. All in ms, on this computer's own clocks. */
export const TAB_LIMITS = {
  /** The tab that leads says so this often. */
  beatMs: 500,
  /** It may send for this long after it last made sure that it leads; a tab that froze longer has to make sure again. */
  leaseMs: 700,
  /** The same where there are no locks and every beat is a lease of its own. */
  messageLeaseMs: 1_500,
  /** Beats that others miss before they ask whether anybody leads, and before they take over. */
  beatsBeforeAsking: 4,
  beatsBeforeTaking: 6,
  /** Up to so many beats more, another number in each tab, so that they do not all take over at once. */
  staggerBeats: 2,
  /** A timer this late was held up itself, and what it missed says nothing about others. */
  lateMs: 2_000,
  /** A leader that is asked to yield has this long to answer. */
  yieldMs: 1_000,
  /** Where there are no locks: how long a claim waits for somebody to object. */
  claimMs: 500,
  /** A claim's timer that is later than this was held up, and so may be what others had to say. */
  graceMs: 50,
} as const
