import type { NodeLive } from '#fleet/live.ts'
import { membersNotCovered } from '#proof/proof-profile.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import { proofProfileOf } from '#settings/service-profiles.ts'
import type { Service } from '#settings/settings.ts'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { copyText } from '#react/copy-text.ts'
import { Ticking } from '#react/ticking.tsx'
import { nodeTexts } from '#texts/en-node.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { uncheckedWords, wrongProofWords } from '#texts/en-proof-causes.ts'
import { formatAge } from '#texts/format.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { Finding } from '#ui/finding.tsx'
import type { GlyphKind } from '#ui/glyph.tsx'
import { Flow } from '#ui/page.tsx'
import { Value } from '#ui/value.tsx'
import { shortProof } from '#texts/format-metric.ts'

const words = nodeHistoryTexts.facts

type ProofFactProps = { readonly node: NodeLive; readonly service: Service; readonly old: boolean }

/** The proof as it came, and whether it is right: verified, wrong or not checked, by shape and by word. */
export function ProofFact({ node, service, old }: ProofFactProps) {
  const { reading, proofSinceMs, unseenMs } = node
  const field = reading?.record.proof
  if (field?.ok !== true) return <span className="ink3">{words.notUsable}</span>
  return (
    <>
      <Value old={old}>
        <Flow>
          <span className="mono">{shortProof(field.value)}</span>
          <CopyButton
            text={field.value}
            label={words.copyProof}
            copiedText={nodeTexts.copied}
            failedText={nodeTexts.copyFailed}
            copy={copyText}
          />
        </Flow>
      </Value>
      <Verdict verdict={reading?.proof} service={service} old={old} />
      {proofSinceMs !== undefined && (
        <div className="t11 ink3">
          <Ticking>{(nowMs) => words.proofChanged(formatAge(nowMs - proofSinceMs))}</Ticking>
          {unseenMs.proof > 0 && nodeTexts.hero.unseen(formatAge(unseenMs.proof))}
        </div>
      )}
    </>
  )
}

const KINDS: Readonly<Record<ProofVerdict['kind'], GlyphKind>> = {
  verified: 'done',
  wrong: 'critical',
  'not-checked': 'none',
}

type VerdictProps = {
  readonly verdict: ProofVerdict | undefined
  readonly service: Service
  /** It is of an answer that no longer holds. */
  readonly old: boolean
}

function Verdict({ verdict, service, old }: VerdictProps) {
  const kind = verdict?.kind ?? 'not-checked'
  return (
    <>
      <Finding kind={old ? 'none' : KINDS[kind]} kindLabel="">
        <Value old={old}>{words.verdicts[kind]}</Value>
      </Finding>
      <div className="t11 ink3">{verdictNote(verdict, service)}</div>
    </>
  )
}

function verdictNote(verdict: ProofVerdict | undefined, service: Service): string {
  const profile = proofProfileOf(service)
  if (profile === undefined) return words.noProofProfile
  if (verdict === undefined) return words.proofNext
  if (verdict.kind === 'wrong') return wrongProofWords(verdict.reason)
  if (verdict.kind === 'not-checked') return words.because(uncheckedWords(verdict))
  const missing = membersNotCovered(profile, RECORD_MEMBERS)
  return missing.length === 0 ? words.coversAll(profile.key.from) : words.coversNot(missing.join(', '))
}
