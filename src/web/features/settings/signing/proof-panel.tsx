import { useMemo } from 'react'
import { serviceIdOf } from '#record/service.ts'
import { proofProfileOf } from '#proof/proof-profile.ts'
import type { Service } from '#settings/schema.ts'
import { type ProofProfile, memberOf } from '#proof/proof-profile.ts'
import { createDrafts } from '#react/drafts.ts'
import { useFleet } from '#react/use-fleet.ts'
import { useProofTry } from '#react/use-proof-try.ts'
import { uncheckedWords, wrongProofWords } from '#texts/en-proof-causes.ts'
import { profileTexts } from '#texts/en-profiles.ts'
import { proofTexts as words } from '#texts/en-proofs.ts'
import { CodeText } from '#ui/code-text.tsx'
import { Finding } from '#ui/finding.tsx'
import type { GlyphKind } from '#ui/glyph.tsx'
import { Panel } from '#ui/panel.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { Stack, FieldGrid } from '#ui/settings-layout.tsx'
import { proofFieldsOf, readProofFields, withProof, type ProofFields } from './proof-fields.ts'
import { DraftProblems } from './profile-preview.tsx'
import { withService } from '#features/settings/services/service-fields.ts'
import { SaveRow, useSave } from '#parts/save.tsx'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { PROOF_MEMBER } from '#record/member-names.ts'
import { PlaceholderField } from '#ui/template-field.tsx'
import { TextField } from '#ui/text-field.tsx'

const useProofDraft = createDrafts<ProofFields>()
const CHOICES = ['none', 'record-v1', 'own'] as const

type ProofPanelProps = {
  readonly service: Service
  /** The server's configuration provides the service, so saving makes a copy in this browser. */
  readonly isProvided: boolean
}

/** How proofs in a service's records are checked, tested against a received record. */
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
      <Stack>
        <p className="text-12 ink-3">{words.lead}</p>
        <SelectField
          label={words.choice}
          value={fields.choice}
          options={CHOICES.map((value) => ({ value, label: words.choices[value] }))}
          onChange={(choice) => change({ choice })}
        />
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
      </Stack>
    </Panel>
  )
}

const KINDS: Readonly<Record<keyof typeof words.verdicts, GlyphKind>> = {
  verified: 'done',
  wrong: 'critical',
  'not-checked': 'none',
}

function Tried({
  profile,
  service,
}: {
  readonly profile: ProofProfile | undefined
  readonly service: Service
}) {
  const id = serviceIdOf(service.baseUrl)
  const node = useFleet((fleet) => Array.from(fleet.nodes.values()).find((each) => each.serviceId === id))
  const tried = useProofTry(profile, node)
  if (profile === undefined) return null
  if (node?.reading === undefined) return <p className="text-12 ink-3">{words.noRecord}</p>
  if (tried === undefined) return null
  if (tried === 'gone') return <p className="text-12 ink-3">{words.recordGone}</p>
  const { verdict, text } = tried
  return (
    <>
      <p className="text-12 ink-3">{words.triedNote}</p>
      <Finding kind={KINDS[verdict.kind]} kindLabel="">
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

const PREHASHES = ['none', 'sha-256', 'sha-512'] as const
const SOURCES = ['node-id', 'member', 'fixed'] as const
const ENCODINGS = ['hex', 'base64'] as const
const ENDS = ['first', 'last'] as const
const PLACEHOLDERS = RECORD_MEMBERS.filter((name) => name !== PROOF_MEMBER).map((name) => `{raw.${name}}`)

function ProofForm({ fields, onChange }: ProofFormProps) {
  return (
    <Stack>
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
      <FieldGrid>
        <SelectField
          label={words.prehash}
          value={fields.prehash}
          options={PREHASHES.map((value) => ({ value, label: words.prehashes[value] }))}
          onChange={(prehash) => onChange({ prehash })}
        />
        <SelectField
          label={words.key}
          value={fields.from}
          options={SOURCES.map((value) => ({ value, label: words.keys[value] }))}
          onChange={(from) => onChange({ from })}
        />
      </FieldGrid>
      {fields.from === 'fixed' && (
        <TextField label={words.fixed} mono value={fields.fixed} onChange={(fixed) => onChange({ fixed })} />
      )}
      {fields.from === 'member' && <MemberForm fields={fields} onChange={onChange} />}
    </Stack>
  )
}

/** For a key in the record: its field, and how the node id is derived from it. */
const MemberForm = ({ fields, onChange }: ProofFormProps) => (
  <FieldGrid>
    <TextField label={words.member} mono value={fields.member} onChange={(member) => onChange({ member })} />
    <SelectField
      label={words.encoding}
      value={fields.encoding}
      options={ENCODINGS.map((value) => ({ value, label: words.encodings[value] }))}
      onChange={(encoding) => onChange({ encoding })}
    />
    <SelectField
      label={words.idHash}
      value={fields.idHash}
      options={PREHASHES.map((value) => ({ value, label: words.idHashes[value] }))}
      onChange={(idHash) => onChange({ idHash })}
    />
    <TextField
      label={words.idBytes}
      hint={words.idBytesHint}
      inputMode="numeric"
      value={fields.idBytes}
      onChange={(idBytes) => onChange({ idBytes })}
    />
    <SelectField
      label={words.idEnd}
      value={fields.idEnd}
      options={ENDS.map((value) => ({ value, label: words.idEnds[value] }))}
      onChange={(idEnd) => onChange({ idEnd })}
    />
  </FieldGrid>
)
