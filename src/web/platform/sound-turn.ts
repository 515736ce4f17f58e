const NAME = 'immune-sound'

/** Which of several tabs makes the sounds, so that an alarm is heard once. */
export type SoundTurn = {
  /** This tab can be heard, or no longer can. */
  readonly offer: (canSound: boolean) => void
  /** Whether it is this tab's turn. */
  readonly isMine: () => boolean
  /** Whether it is another tab's. */
  readonly isTaken: () => Promise<boolean>
}

/** By a lock of the browser; on plain http there are none, and then `otherwise` decides. */
export function createSoundTurn(otherwise: () => boolean): SoundTurn {
  const locks = isSecureContext ? navigator.locks : undefined
  let isOffered = false
  let isMine = false
  let giveBack = (): void => undefined

  const take = async (): Promise<void> => {
    const ended = new Promise<void>((done) => {
      giveBack = done
    })
    const waiting = new AbortController()
    const give = giveBack
    giveBack = () => {
      waiting.abort()
      give()
    }
    try {
      await locks?.request(NAME, { signal: waiting.signal }, async () => {
        isMine = true
        await ended
        isMine = false
      })
    } catch {
      // Given up while it waited.
    }
  }

  return {
    offer: (canSound) => {
      if (canSound === isOffered) return
      isOffered = canSound
      if (canSound) void take()
      else giveBack()
    },
    isMine: () => (locks === undefined ? isOffered && otherwise() : isMine),
    isTaken: async () => {
      try {
        const { held = [] } = (await locks?.query()) ?? {}
        return !isMine && held.some(({ name }) => name === NAME)
      } catch {
        return false
      }
    },
  }
}
