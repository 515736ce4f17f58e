import { jsonIn } from '#base/stored.ts'
import { textOfFile } from '#parts/text-of-file.ts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { AllowNote } from '#parts/allow-note.tsx'
import { ConnectionTest, contextOf } from '#parts/connection-test.tsx'
import { profileOf, PROFILES } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import { needsKey } from '#signing/profile-needs.ts'
import { createDrafts } from '#react/drafts.ts'
import { useConnectionTest } from '#react/use-connection-test.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { profileTexts as words } from '#texts/en-profiles.ts'
import { Panel } from '#ui/panel.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { fieldsOf, presetIdOf, profileOfFields, type ProfileFields } from './profile-fields.ts'
import { ConsentDialog } from '#parts/consent-dialog.tsx'
import { keyFor, useConsent, type UseConsent } from '#react/use-consent.ts'
import { isGranted } from '#signing/signing-grant.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { Button } from '#ui/button.tsx'
import { ProfileFind } from '#parts/profile-find.tsx'
import { DraftProblems, ProfileFindings, ProfilePreview } from './profile-preview.tsx'
import { ProfileForm } from './profile-form.tsx'
import { RefusedText } from './refused-text.tsx'
import { SaveRow, useSave } from '#parts/save.tsx'
import { nameOfService } from '#features/settings/use-key-of-service.ts'
import { useRefusedText } from '#react/use-refused-text.ts'
import { useDashboard, type AllowProblem } from '#react/dashboard.ts'
import { withService } from '#features/settings/services/service-fields.ts'
import { copying } from '#parts/copying.ts'
import { parseProfile } from '#settings/documents.ts'
import type { Profile } from '#signing/profile.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { FileField } from '#ui/secret-field.tsx'
import { TextField } from '#ui/text-field.tsx'

type ProfileEditorProps = {
  readonly service: Service
  /** The server's configuration provides the service, so saving makes a copy in this browser. */
  readonly isProvided: boolean
}

export function ProfileEditor({ service, isProvided }: ProfileEditorProps) {
  const consent = useEditorConsent(service)
  return (
    <>
      <NotAccepted service={service} asking={consent.asking} />
      <Editor service={service} isProvided={isProvided} consent={consent} />
    </>
  )
}

type EditorProps = ProfileEditorProps & { readonly consent: ReturnType<typeof useEditorConsent> }

function Editor({ service, isProvided, consent: { mayTest, mayChange, mayFind } }: EditorProps) {
  const { fields, isChanged, read, profile, presetId, next: draft, setFields, isLatest } = useDraft(service)
  const { save, saved, edited, busy, allowProblem, isAllowed } = useProfileSave(service)
  const { effective } = useConfiguration()
  const connection = useConnectionTest()
  if (fields === undefined) return null
  const nodes = effective.nodes.filter((node) => node.service === service.baseUrl)
  /** Undefined restores the saved fields. */
  const change = (next: ProfileFields | undefined): void => {
    setFields(next)
    edited()
    connection.clear()
  }
  const test = async (): Promise<void> => {
    if (draft === undefined) return
    const sign = await mayTest(draft)
    await connection.start({ service: draft, nodes, sign }, async () => isAllowed(draft))
  }
  const saveDraft = async (): Promise<void> => {
    const isSaved = draft !== undefined && (await save(draft, async () => mayChange(draft)))
    // Text typed while the save waited for the server or for consent is not saved yet.
    if (isSaved && isLatest(fields)) setFields(undefined)
  }
  return (
    <RefusedText {...{ service, draft, fields }} onChange={(part) => change({ ...fields, ...part })}>
      <Panel
        title={words.compose}
        note={isChanged ? words.unsaved : <VisibleText text={nameOfService(service)} />}
        actions={
          <ProfileFind
            service={service}
            nodeId={nodes[0]?.id}
            mayStart={mayFind}
            onFound={(found) => change(fieldsOf(found))}
          />
        }
      >
        <div className="stack">
          <ProfileForm
            fields={fields}
            presetId={presetId}
            onChange={(part) => change({ ...fields, ...part })}
            onPreset={(id) => change(fieldsOfPreset(id) ?? fields)}
          />
          {read?.ok === false && (
            <DraftProblems problems={read.error} title={words.problems} label={words.severity.error} />
          )}
          {allowProblem && draft && <AllowNote problem={allowProblem} service={draft} />}
          <SaveRow
            label={isProvided ? words.copy : words.save}
            onSave={() => void saveDraft()}
            busy={busy}
            disabled={draft === undefined || !isChanged}
            onDiscard={isChanged ? () => change(undefined) : undefined}
            saved={saved}
          />
          <ProfileJson profile={profile} onImport={(next) => change(fieldsOf(next))} />
        </div>
      </Panel>
      <ProfilePreview profile={profile} baseUrl={service.baseUrl} nodeId={nodes[0]?.id} />
      {profile && <ProfileFindings profile={profile} presetId={presetId} service={service} />}
      <ConnectionTest
        connectionTest={connection.connectionTest}
        context={draft === undefined ? undefined : contextOf(draft)}
        onTest={() => void test()}
      />
    </RefusedText>
  )
}

/** The consent needed before the service's key signs with another profile. */
function useEditorConsent(service: Service) {
  const { keys } = useKeys()
  const asking = useConsent()
  const isChosen = keyFor(service, keys) !== undefined
  const key = keyFor(service, keys) ?? keys.at(-1)
  return {
    asking,
    // This page shows key, service and profile, so only a vault's passphrase or passkey is still requested.
    mayTest: async (draft: Service) => !needsKey(draft) || asking.consent(key, draft, isChosen),
    // Without a chosen key the profile is saved, and consent is requested once a key is chosen.
    mayChange: async (next: Service) => !isChosen || !needsKey(next) || asking.consent(key, next, true),
    mayFind: async () => isChosen || asking.consent(key, service),
  }
}

/** Asks for consent if the service has a key but this profile is not yet approved, e.g. after an import. */
function NotAccepted({ service, asking }: { readonly service: Service; readonly asking: UseConsent }) {
  const { keys } = useKeys()
  const key = keyFor(service, keys) ?? keys.at(-1)
  const isAccepted =
    !needsKey(service) || key === undefined || isGranted(keyFor(service, keys)?.grants, service)
  // If the signer refuses the profile, approval does not help; the remedy is shown below.
  const isRefused = useRefusedText(service) !== undefined
  if (isAccepted || isRefused) return <ConsentDialog asking={asking} />
  return (
    <Panel title={consentTexts.review.title}>
      <ConsentDialog asking={asking} />
      <div className="stack">
        <p className="wrap-anywhere">
          <VisibleText text={consentTexts.review.text(nameOfService(service))} charsMax={300} />
        </p>
        <div className="flow">
          <Button look="primary" onClick={() => void asking.consent(key, service)}>
            {consentTexts.review.open}
          </Button>
        </div>
      </div>
    </Panel>
  )
}

function fieldsOfPreset(id: string): ProfileFields | undefined {
  const preset = PROFILES[id]
  return preset && fieldsOf(preset)
}

const useProfileDraft = createDrafts<ProfileFields>()

function useDraft(service: Service) {
  const before = profileOf(service)
  const start = useMemo(() => (before === undefined ? undefined : fieldsOf(before)), [before])
  const [draft, setDraft] = useProfileDraft(service.baseUrl)
  const fields = draft ?? start
  const latest = useRef(fields)
  useEffect(() => {
    latest.current = fields
  }, [fields])
  const isChanged = JSON.stringify(fields) !== JSON.stringify(start)
  const read = useMemo(() => (fields === undefined ? undefined : profileOfFields(fields)), [fields])
  const profile = read?.ok === true ? read.value : undefined
  const presetId = useMemo(() => profile && presetIdOf(profile), [profile])
  const next = useMemo<Service | undefined>(
    () => profile && { ...service, profile: presetId ?? profile },
    [service, profile, presetId],
  )
  const isLatest = (shown: ProfileFields): boolean => latest.current === shown
  return { fields, isChanged, read, profile, presetId, next, setFields: setDraft, isLatest }
}

/** Headers that the proxy always passes on. */
const ALWAYS_PASSED = /^(authorization|signature|signature-input|x-node-[a-z0-9-]+)$/i

/** Saves a service with another profile, after registering new headers with the server's proxy. */
function useProfileSave(service: Service) {
  const { allowService } = useDashboard()
  const { server } = useConfiguration()
  const { saved, save, edited } = useSave()
  const [busy, setBusy] = useState(false)
  const [allowProblem, setAllowProblem] = useState<AllowProblem>()

  const isAllowed = async (next: Service): Promise<boolean> => {
    // Every server passes on the headers of presets.
    const names = typeof next.profile === 'string' ? [] : Object.keys(next.profile.headers)
    if (service.via === 'direct' || names.every((name) => ALWAYS_PASSED.test(name))) return true
    // The server's configuration file decides; if the server drops a header, the service refuses the request.
    if (!server.canAddServices) return true
    setBusy(true)
    const answer = await allowService(next)
    setBusy(false)
    setAllowProblem(answer.ok ? undefined : answer.error)
    return answer.ok
  }
  return {
    saved,
    busy,
    allowProblem,
    isAllowed,
    edited: () => {
      edited()
      setAllowProblem(undefined)
    },
    /** `isAccepted` runs last and asks whether the key may sign with the profile. */
    save: async (next: Service, isAccepted: () => Promise<boolean>): Promise<boolean> =>
      (await isAllowed(next)) && (await isAccepted()) && save((now) => withService(now, next)),
  }
}

const FILE_BYTES_MAX = 64 * 1_024

type ProfileJsonProps = {
  /** Undefined while the fields are invalid. */
  readonly profile: Profile | undefined
  readonly onImport: (profile: Profile) => void
}

function ProfileJson({ profile, onImport }: ProfileJsonProps) {
  const [typed, setTyped] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const text = typed ?? (profile === undefined ? '' : JSON.stringify(profile, undefined, 2))
  const take = (input: string): void => {
    const read = readDocument(input)
    if (typeof read === 'string') {
      setTyped(input)
      setProblem(read)
      return
    }
    setTyped(undefined) // From now on the field shows the editor's document.
    setProblem(undefined)
    onImport(read)
  }
  const takeFile = async (file: File): Promise<void> => {
    const read = await textOfFile(file, FILE_BYTES_MAX)
    if (read.ok) take(read.value)
    else setProblem(words.fileProblems[read.error])
  }
  return (
    <Disclosure summary={words.json}>
      <div className="stack">
        <TextField
          label={words.jsonLabel}
          hint={words.jsonHint}
          error={problem}
          mono
          rows={10}
          value={text}
          onChange={take}
        />
        <CopyButton text={text} label={copying.copyLabel} {...copying} />
        <FileField
          label={words.jsonFile}
          prompt={words.jsonPrompt}
          accept="application/json,.json"
          onFile={(file) => void takeFile(file)}
        />
      </div>
    </Disclosure>
  )
}

function readDocument(text: string): Profile | string {
  const document = jsonIn(text)
  if (document === undefined) return words.jsonNot
  const parsed = parseProfile(document)
  if (parsed.ok) return parsed.value
  return parsed.error.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('. ')
}
