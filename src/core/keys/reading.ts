/** What every format gets beside the bytes. */
export type Reading = {
  /** Every buffer that holds something secret goes in here as soon as it exists. */
  readonly scratch: Scratch
  /** As UTF-8; the caller's to zero. */
  readonly passphrase: Uint8Array | undefined
}

/** The buffers of one piece of work that held something secret; `wipe` zeroes them all. */
export type Scratch = {
  /** Remembers the buffer and gives it back. A view is enough: all that it is a view of is wiped. */
  readonly keep: <B extends Uint8Array>(bytes: B) => B
  readonly wipe: () => void
}

/** Made per piece of work and wiped in its `finally`, so that no way out of it leaves a secret behind. */
export function createScratch(): Scratch {
  const kept = new Set<ArrayBufferLike>()
  return {
    keep: (bytes) => {
      kept.add(bytes.buffer)
      return bytes
    },
    wipe: () => {
      for (const buffer of kept) new Uint8Array(buffer).fill(0)
      kept.clear()
    },
  }
}
