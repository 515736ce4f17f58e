import type { Scratch } from './scratch.ts'

/** What every format gets beside the bytes. */
export type Reading = {
  /** Every buffer that holds something secret goes in here as soon as it exists. */
  readonly scratch: Scratch
  /** As UTF-8; the caller's to zero. */
  readonly passphrase: Uint8Array | undefined
}
