import { useEffect, useState } from 'react'
import type { NodeLive } from '#fleet/live.ts'
import { createVerifier } from '#platform/worker-verifier.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import type { ProofProfile } from '#proof/proof-profile.ts'
import { proofStatement, proofText, type ProofVerdict } from '#proof/proof-statement.ts'
import { useDashboard } from './dashboard.ts'
import { createPreviewSigner, type Preview, type PreviewSigner } from '#platform/preview-signing.ts'
import type { Profile } from '#signing/profile.ts'
import type { TemplateProblem } from '#signing/template.ts'

type ProofTry = {
  readonly verdict: ProofVerdict
  /** The verified text, as far as its placeholders could be filled in. */
  readonly text: string | undefined
}

let verify: ReturnType<typeof createVerifier> | undefined

/**
 * The verdict of a proof profile on a node's last record; undefined without a record, a profile or a result. `gone`: a later
 * answer replaced the body, so only the record's values are left.
 */
export function useProofTry(
  profile: ProofProfile | undefined,
  node: NodeLive | undefined,
): ProofTry | 'gone' | undefined {
  const { engine } = useDashboard()
  const [tried, setTried] = useState<ProofTry | 'gone'>()
  const key = node?.key
  const startedMs = node?.reading?.startedWallMs
  useEffect(() => {
    let isCurrent = true
    const run = async (): Promise<void> => {
      const isThere = key !== undefined && startedMs !== undefined && profile !== undefined
      const exchange = isThere ? await engine.lastExchange(key) : undefined
      const isRecord = exchange?.startedWallMs === startedMs
      const next = exchange && profile && (isRecord ? await tryProof(profile, exchange.body) : 'gone')
      if (isCurrent) setTried(next)
    }
    run().catch(() => undefined) // The engine is being restarted; the next answer tries again.
    return () => {
      isCurrent = false
    }
  }, [engine, profile, key, startedMs])
  return tried
}

async function tryProof(profile: ProofProfile, body: string): Promise<ProofTry | undefined> {
  const json = parseJsonRecord(body)
  if (!json.ok) return undefined
  const text = proofText(profile, json.value)
  const shown = text.ok ? text.value : undefined
  const statement = proofStatement(profile, json.value)
  if (!statement.ok) return { verdict: statement.error, text: shown }
  const { publicKey, message, signature } = statement.value
  verify ??= createVerifier()
  const fits = await verify(publicKey, message, signature)
  return { verdict: fits ? { kind: 'verified' } : { kind: 'wrong', reason: 'mismatch' }, text: shown }
}

export type { Preview } from '#platform/preview-signing.ts'

type PreviewState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'shown'; readonly preview: Preview }
  | { readonly kind: 'problem'; readonly problem: TemplateProblem }
  | { readonly kind: 'broken' }

/** One throwaway key for the lifetime of the page. */
let signer: Promise<PreviewSigner> | undefined

/** The request of a draft, updated on each change. Undefined if the draft is invalid. */
export function usePreview(
  profile: Profile | undefined,
  baseUrl: string,
  nodeId: string | undefined,
): PreviewState {
  const [state, setState] = useState<PreviewState>({ kind: 'waiting' })
  useEffect(() => {
    let isCurrent = true
    const show = (next: PreviewState): void => {
      if (isCurrent) setState(next)
    }
    const make = async (draft: Profile): Promise<void> => {
      try {
        signer ??= createPreviewSigner()
        const preview = await (await signer)(draft, baseUrl, nodeId)
        show(
          preview.ok
            ? { kind: 'shown', preview: preview.value }
            : { kind: 'problem', problem: preview.error },
        )
      } catch {
        signer = undefined
        show({ kind: 'broken' }) // Randomness or memory is missing; the next change tries again.
      }
    }
    if (profile !== undefined) void make(profile)
    return () => {
      isCurrent = false
    }
  }, [profile, baseUrl, nodeId])
  return state
}
