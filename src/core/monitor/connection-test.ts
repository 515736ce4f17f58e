import type { PollFailure } from '#protocol/failure.ts'
import type { ByHeartbeats, ClockOffset } from '#record/clock-offset.ts'
import type { Service, WatchedNode } from '#settings/schema.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import type { Diagnosis } from '#fleet/diagnosis.ts'
import type { Exchange } from './exchange.ts'

/** In order; each step needs the one before. */
export const TEST_STEPS = ['reached', 'readable', 'clocks', 'key', 'signature', 'nodes', 'record'] as const
export type TestStepName = (typeof TEST_STEPS)[number]

export type TestStep =
  | { readonly name: TestStepName; readonly state: 'running' | 'skipped' }
  | { readonly name: 'reached' | 'readable'; readonly state: 'ok'; readonly latencyMs: number }
  /** Nothing was signed, and a web page answered; `page` is its title, which may be empty. */
  | {
      readonly name: 'readable'
      readonly state: 'warning'
      readonly latencyMs: number
      readonly status: number
      readonly page: string
    }
  /**
   * `offset` is undefined if the service's time cannot be read from here, which is not a failure. `warning`: the clocks are more
   * than 30 s apart, so the service will refuse signed requests.
   */
  | ({
      readonly name: 'clocks'
      readonly state: 'ok' | 'warning'
      readonly offset: ClockOffset | undefined
    } & ByHeartbeats)
  /** `publicKey`: undefined if neither the request nor the configuration names it. */
  | { readonly name: 'key'; readonly state: 'ok'; readonly publicKey: string | undefined }
  /** `corrected` is the clock offset. It is set if the service refused this computer's time and accepted its own. */
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
      /** Configured nodes beyond the test's limit. */
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
   * `diagnosis`: the result of the unsigned probes, if it adds anything. `exchange`: the failed signed request, if one was
   * sent.
   */
  | {
      readonly name: TestStepName
      readonly state: 'failed'
      readonly failure: PollFailure
      readonly diagnosis?: Diagnosis | undefined
      readonly exchange?: Exchange | undefined
    }

export type TestDraft = {
  /** Origin of the page, for requests through the proxy; without a trailing slash. */
  readonly serverUrl: string
  readonly service: Service
  readonly nodes: readonly WatchedNode[]
  /** Whether the key may be used. Without it the test checks only reachability and clocks. */
  readonly sign: boolean
  /** The signer's id for this test; absent if nothing is signed. */
  readonly draftId?: number
}
