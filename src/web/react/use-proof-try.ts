import type { Result } from '#base/result.ts'
import type { NodeLive } from '#fleet/live.ts'
import { createVerifier } from '#platform/worker-verifier.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import type { ProofProfile } from '#proof/proof-profile.ts'
import { proofStatement, proofText, type ProofVerdict } from '#proof/proof-statement.ts'
import { useDashboard } from './dashboard.ts'
import { useRead } from './reads.ts'
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
  const key = node?.key
  const startedMs = node?.reading?.startedWallMs
  const { data } = useRead({
    ...LATEST,
    queryKey: ['proof', key, startedMs, profile],
    queryFn: async (): Promise<ProofTry | 'gone' | null> => {
      if (key === undefined || profile === undefined) return null
      const exchange = await engine.lastExchange(key)
      if (exchange === undefined) return null
      return exchange.startedWallMs === startedMs ? tryProof(profile, exchange.body) : 'gone'
    },
    placeholderData: (before) => before,
  })
  return data ?? undefined
}

/** Each keystroke starts a new check, so earlier answers are outdated. */
const LATEST = { gcTime: 0, structuralSharing: false } as const

async function tryProof(profile: ProofProfile, body: string): Promise<ProofTry | null> {
  const json = parseJsonRecord(body)
  if (!json.ok) return null
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

/** One throwaway key for the lifetime of the page. */
let signer: Promise<PreviewSigner> | undefined

/** The request of a draft, updated on each change; undefined if the draft is invalid. `broken`: the browser lacks something. */
export function usePreview(
  profile: Profile | undefined,
  baseUrl: string,
  nodeId: string | undefined,
): Result<Preview, TemplateProblem> | 'broken' | undefined {
  const { data, isError } = useRead({
    ...LATEST,
    queryKey: ['preview', profile, baseUrl, nodeId],
    queryFn: async () => {
      if (profile === undefined) return null
      signer ??= createPreviewSigner()
      signer.catch(() => {
        signer = undefined // Randomness or memory is missing; the next change tries again.
      })
      return (await signer)(profile, baseUrl, nodeId)
    },
    placeholderData: (before) => before,
  })
  if (profile === undefined) return undefined
  return isError ? 'broken' : (data ?? undefined)
}
