import { useMemo } from 'react'
import { AllowNote } from '#parts/allow-note.tsx'
import { ConnectionTest, contextOf } from '#parts/connection-test.tsx'
import { PROFILES } from '#signing/presets.ts'
import { needsKey } from '#signing/profile-needs.ts'
import { profileOf } from '#settings/service-profiles.ts'
import type { Service } from '#settings/settings.ts'
import { createDrafts } from '#react/drafts.ts'
import { useConnectionTest } from '#react/use-connection-test.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { profileTexts as words } from '#texts/en-profiles.ts'
import { Panel } from '#ui/panel.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { fieldsOf, presetIdOf, profileOfFields, type ProfileFields } from './profile-fields.ts'
import { ProfileFind } from './profile-find.tsx'
import { DraftProblems, ProfileFindings } from './profile-findings.tsx'
import { ProfileForm } from './profile-form.tsx'
import { ProfileJson } from './profile-json.tsx'
import { ProfilePreview } from './profile-preview.tsx'
import { SaveRow } from '#features/settings/save.tsx'
import { nameOfService } from '#features/settings/use-key-of-service.ts'
import { useProfileSave } from './use-profile-save.ts'

/** How one service's requests are signed: fields, example, verdict, test. Nothing is in force before it is saved. */
export function ProfileEditor({ service }: { readonly service: Service }) {
  const { fields, start, read, setFields } = useDraft(service)
  const { save, saved, edited, busy, allowProblem, isAllowed } = useProfileSave(service)
  const { effective } = useConfiguration()
  const { keys } = useKeys()
  const connection = useConnectionTest()
  const profile = read?.ok === true ? read.value : undefined
  if (fields === undefined || start === undefined) return null
  const presetId = profile && presetIdOf(profile)
  const nodes = effective.nodes.filter((node) => node.service === service.baseUrl)
  const isChanged = JSON.stringify(fields) !== JSON.stringify(start)
  const change = (next: ProfileFields): void => {
    setFields(next)
    edited()
    connection.clear()
  }
  const draft: Service | undefined = profile && { ...service, profile: presetId ?? profile }
  const test = async (): Promise<void> => {
    if (draft === undefined) return
    const sign = keys.length > 0 || !needsKey(draft)
    await connection.start({ service: draft, nodes, sign }, async () => isAllowed(draft))
  }
  return (
    <div className="profile-cols">
      <Panel
        title={words.compose}
        note={isChanged ? words.unsaved : <VisibleText text={nameOfService(service)} />}
        actions={
          <ProfileFind service={service} nodeId={nodes[0]?.id} onFound={(found) => change(fieldsOf(found))} />
        }
      >
        <Stack>
          <ProfileForm
            fields={fields}
            presetId={presetId}
            onChange={(part) => change({ ...fields, ...part })}
            onPreset={(id) => {
              const preset = PROFILES[id]
              if (preset !== undefined) change(fieldsOf(preset))
            }}
          />
          {read?.ok === false && (
            <DraftProblems problems={read.error} title={words.problems} label={words.severity.error} />
          )}
          {allowProblem?.isBlocking === true && draft && <AllowNote problem={allowProblem} service={draft} />}
          <SaveRow
            label={words.save}
            onSave={() => draft && void save(draft)}
            busy={busy}
            disabled={draft === undefined || !isChanged}
            onDiscard={isChanged ? () => change(start) : undefined}
            discardLabel={words.discard}
            saved={saved}
          />
          <ProfileJson profile={profile} onImport={(next) => change(fieldsOf(next))} />
        </Stack>
      </Panel>
      <ProfilePreview profile={profile} baseUrl={service.baseUrl} nodeId={nodes[0]?.id} />
      {profile && <ProfileFindings profile={profile} presetId={presetId} service={service} />}
      <ConnectionTest
        connectionTest={connection.connectionTest}
        context={draft === undefined ? undefined : contextOf(draft)}
        onTest={() => void test()}
      />
    </div>
  )
}

const useProfileDraft = createDrafts<ProfileFields>()

/** The fields as they are typed, beside those that are saved, and what they come to. */
function useDraft(service: Service) {
  const before = profileOf(service)
  const start = useMemo(() => (before === undefined ? undefined : fieldsOf(before)), [before])
  const [draft, setDraft] = useProfileDraft(service.baseUrl)
  const fields = draft ?? start
  const read = useMemo(() => (fields === undefined ? undefined : profileOfFields(fields)), [fields])
  return { fields, start, read, setFields: setDraft }
}
