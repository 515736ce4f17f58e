import type { PollFailure } from '#protocol/failure.ts'
import type { ByHeartbeats, ClockOffset } from '#record/clock-offset.ts'
import type { Service, WatchedNode } from '#settings/schema.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import type { Diagnosis } from '#fleet/diagnosis.ts'
import type { Exchange } from './exchange.ts'

/** The steps of a connection test, in order; each needs the one before. */
export const TEST_STEPS = ['reached', 'readable', 'clocks', 'key', 'signature', 'nodes', 'record'] as const
export type TestStepName = (typeof TEST_STEPS)[number]

/** One step's outcome, with what was seen. The words are the page's. */
export type TestStep =
  | { readonly name: TestStepName; readonly state: 'running' }
  | { readonly name: TestStepName; readonly state: 'skipped' }
  | { readonly name: 'reached' | 'readable'; readonly state: 'ok'; readonly latencyMs: number }
  /** `offset` undefined: the service's time can't be read from here, which is no failure. */
  | ({
      readonly name: 'clocks'
      readonly state: 'ok'
      readonly offset: ClockOffset | undefined
    } & ByHeartbeats)
  /** More than 30 s apart: signed times will be refused. */
  | ({ readonly name: 'clocks'; readonly state: 'warning'; readonly offset: ClockOffset } & ByHeartbeats)
  | { readonly name: 'key'; readonly state: 'ok'; readonly publicKey: string }
  /** `corrected`: this computer's time was refused, and the service's accepted; how far they are apart. */
  | {
      readonly name: 'signature'
      readonly state: 'ok' | 'warning'
      readonly latencyMs: number
      readonly corrected?: ClockOffset
    }
  | {
      readonly name: 'nodes'
      readonly state: 'ok'
      readonly found: number
      readonly asked: number
      /** Listed, and not asked for by the test. */
      readonly untested: number
    }
  | {
      readonly name: 'nodes'
      readonly state: 'warning'
      readonly found: number
      readonly asked: number
      readonly missing: readonly string[]
    }
  | {
      readonly name: 'record'
      readonly state: 'ok' | 'warning'
      readonly record: StatusRecord
      readonly fields: number
    }
  /**
   * `diagnosis`: what probes without a signature found out about it, where they add something.
   * `exchange`: the signed request that failed, where one was sent.
   */
  | {
      readonly name: TestStepName
      readonly state: 'failed'
      readonly failure: PollFailure
      readonly diagnosis?: Diagnosis | undefined
      readonly exchange?: Exchange | undefined
    }

/** What is to be tried. */
export type TestDraft = {
  /** Origin of the page, for requests through the proxy; without a slash at the end. */
  readonly serverUrl: string
  readonly service: Service
  readonly nodes: readonly WatchedNode[]
  /** Whether the key may be used: without it only reachability and clocks are tried. */
  readonly sign: boolean
  /** Under which number the signer knows this test; absent where nothing is signed. */
  readonly draftId?: number
}
