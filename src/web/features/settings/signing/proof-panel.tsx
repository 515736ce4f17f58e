import { useMemo } from 'react'
import { serviceIdOf } from '#record/service.ts'
import { memberOf, proofProfileOf, type ProofProfile } from '#proof/proof-profile.ts'
import type { Service } from '#settings/schema.ts'
import { createDrafts } from '#react/drafts.ts'
import { useFleet } from '#react/use-fleet.ts'
import { useProofTry } from '#react/use-proof-try.ts'
import { uncheckedWords, wrongProofWords } from '#texts/en-proof-causes.ts'
import { profileTexts } from '#texts/en-profiles.ts'
import { proofTexts as words } from '#texts/en-proofs.ts'
import { CodeText } from '#ui/code-text.tsx'
import { Finding } from '#ui/finding.tsx'
import { Panel } from '#ui/panel.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { proofFieldsOf, readProofFields, withProof, type ProofFields } from './proof-fields.ts'
import { DraftProblems } from './profile-preview.tsx'
import { withService } from '#features/settings/services/service-fields.ts'
import { SaveRow, useSave } from '#parts/save.tsx'
import { VERDICT_GLYPHS } from '#parts/severity.ts'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { PROOF_MEMBER } from '#record/member-names.ts'
import { PlaceholderField } from '#ui/template-field.tsx'

const useProofDraft = createDrafts<ProofFields>()

type ProofPanelProps = {
  readonly service: Service
  /** The server's configuration provides the service, so saving makes a copy in this browser. */
  readonly isProvided: boolean
}

export function ProofPanel({ service, isProvided }: ProofPanelProps) {
  const start = useMemo(() => proofFieldsOf(service), [service])
  const [draft, setDraft] = useProofDraft(service.baseUrl)
  const { save, saved, edited } = useSave()
  const fields = draft ?? start
  const next = useMemo(() => withProof(service, fields), [service, fields])
  const isChanged = JSON.stringify(fields) !== JSON.stringify(start)
  const own = fields.choice === 'own' ? readProofFields(fields) : undefined
  const change = (part: Partial<ProofFields>): void => {
    setDraft({ ...fields, ...part })
    edited()
  }
  return (
    <Panel title={words.title} note={isChanged ? words.unsaved : undefined}>
      <div className="stack">
        <p className="text-12 ink-3">{words.lead}</p>
        {formFields(fields, (name, value) => change({ [name]: value })).select(
          'choice',
          words.choice,
          words.choices,
        )}
        {own !== undefined && <ProofForm fields={fields} onChange={change} />}
        {own?.ok === false && (
          <DraftProblems problems={own.error} title={words.problems} label={words.problem} />
        )}
        <Tried profile={next && proofProfileOf(next)} service={service} />
        <SaveRow
          label={isProvided ? profileTexts.copy : words.save}
          onSave={() => {
            if (next !== undefined && save((now) => withService(now, next))) setDraft(undefined)
          }}
          disabled={next === undefined || !isChanged}
          onDiscard={isChanged ? () => setDraft(undefined) : undefined}
          discardLabel={words.discard}
          saved={saved}
        />
      </div>
    </Panel>
  )
}

function Tried({
  profile,
  service,
}: {
  readonly profile: ProofProfile | undefined
  readonly service: Service
}) {
  const id = serviceIdOf(service.baseUrl)
  const node = useFleet(({ nodes }) => {
    const read = Array.from(nodes.values()).filter(
      ({ serviceId, reading }) => serviceId === id && reading !== undefined,
    )
    return read.find(({ episode }) => episode === undefined) ?? read[0]
  })
  const tried = useProofTry(profile, node)
  if (profile === undefined) return null
  if (node?.reading === undefined) return <p className="text-12 ink-3">{words.noRecord}</p>
  if (tried === undefined) return null
  if (tried === 'gone') return <p className="text-12 ink-3">{words.recordGone}</p>
  const { verdict, text } = tried
  return (
    <>
      <p className="text-12 ink-3">{words.triedNote}</p>
      <Finding kind={VERDICT_GLYPHS[verdict.kind]} kindLabel="">
        {words.verdicts[verdict.kind]}
        {verdict.kind === 'wrong' && `: ${wrongProofWords(verdict.reason)}`}
        {verdict.kind === 'not-checked' && `: ${uncheckedWords(verdict)}`}
      </Finding>
      {text !== undefined && <CodeText label={words.text} text={text} />}
    </>
  )
}

type ProofFormProps = {
  readonly fields: ProofFields
  readonly onChange: (part: Partial<ProofFields>) => void
}

const PLACEHOLDERS = RECORD_MEMBERS.filter((name) => name !== PROOF_MEMBER).map((name) => `{raw.${name}}`)

function ProofForm({ fields, onChange }: ProofFormProps) {
  const { text, select } = formFields(fields, (name, value) => onChange({ [name]: value }))
  return (
    <div className="stack">
      <PlaceholderField
        label={words.template}
        hint={words.templateHint}
        rows={7}
        value={fields.template}
        placeholders={PLACEHOLDERS}
        placeholdersLabel={words.placeholders}
        insertLabel={words.insert}
        isKnown={(name) => memberOf(name) !== undefined}
        onChange={(template) => onChange({ template })}
      />
      <div className="settings-layout-fields">
        {select('prehash', words.prehash, words.prehashes)}
        {select('from', words.key, words.keys)}
      </div>
      {fields.from === 'fixed' && text('fixed', words.fixed, { mono: true })}
      {fields.from === 'member' && (
        <div className="settings-layout-fields">
          {text('member', words.member, { mono: true })}
          {select('encoding', words.encoding, words.encodings)}
          {select('idHash', words.idHash, words.idHashes)}
          {text('idBytes', words.idBytes, { hint: words.idBytesHint, inputMode: 'numeric' })}
          {select('idEnd', words.idEnd, words.idEnds)}
        </div>
      )}
    </div>
  )
}
