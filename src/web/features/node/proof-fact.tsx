import type { NodeLive, Reading } from '#fleet/live.ts'
import { proofProfileOf, membersNotCovered } from '#proof/proof-profile.ts'
import type { Service } from '#settings/schema.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { MetricOf } from '#metrics/metric.ts'
import { PROOF_MEMBER } from '#record/member-names.ts'
import { fieldOf } from '#metrics/answer.ts'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { copying } from '#parts/copying.ts'
import { VERDICT_GLYPHS } from '#parts/severity.ts'
import { Ticking } from '#react/ticking.tsx'
import { nodeTexts } from '#texts/en-node.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { uncheckedWords, wrongProofWords } from '#texts/en-proof-causes.ts'
import { formatAge } from '#texts/format.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { Finding } from '#ui/finding.tsx'
import { Value } from '#ui/value.tsx'
import { shortProof } from '#texts/format-metric.ts'

const words = nodeHistoryTexts.facts

type ProofFactProps = {
  readonly metric: MetricOf<'fingerprint'>
  readonly node: NodeLive
  readonly reading: Reading
  readonly service: Service
  readonly old: boolean
}

export function ProofFact({ metric, node, reading, service, old }: ProofFactProps) {
  const since = node.since[metric.id]
  const field = fieldOf(metric, reading)
  const verdict = reading.proof?.kind ?? 'not-checked'
  if (!field.ok)
    return (
      <span className="ink-3">
        {field.error === 'not-collected' ? words.problem['not-collected'] : words.notUsable}
      </span>
    )
  return (
    <>
      <Value old={old}>
        <div className="flow">
          <span className="mono">{shortProof(field.value)}</span>
          <CopyButton text={field.value} label={words.copyProof} {...copying} />
        </div>
      </Value>
      {metric.field === PROOF_MEMBER && (
        <>
          <Finding kind={old ? 'none' : VERDICT_GLYPHS[verdict]} kindLabel="">
            <Value old={old}>{words.verdicts[verdict]}</Value>
          </Finding>
          <div className="text-11 ink-3">{verdictNote(reading.proof, service)}</div>
        </>
      )}
      {since !== undefined && (
        <div className="text-11 ink-3">
          <Ticking>{(nowMs) => words.proofChanged(formatAge(nowMs - since.sinceMs))}</Ticking>
          {since.unseenMs > 0 && nodeTexts.hero.unseen(formatAge(since.unseenMs))}
        </div>
      )}
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
