import { useSearchParams } from '#react/location.ts'
import type { Service } from '#settings/schema.ts'
import { needsToken } from '#signing/profile-needs.ts'
import { nameOfService } from '#features/settings/use-key-of-service.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { profileTexts as words } from '#texts/en-profiles.ts'
import { Empty } from '#ui/empty.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { ProfileEditor } from './profile-editor.tsx'
import { ProofPanel } from './proof-panel.tsx'
import { SpareTokens, TokenPanel } from './token-panel.tsx'

/** The signing profile of one service at a time. `?for=` in the URL selects the service by base URL. */
export function ProfileSection() {
  const { server, settings, effective } = useConfiguration()
  const { services } = effective
  const [params, setParams] = useSearchParams()
  const wanted = params.get('for')
  const service = services.find(({ baseUrl }) => baseUrl === wanted) ?? services[0]
  const isAmong = (list: readonly Service[]) => list.some(({ baseUrl }) => baseUrl === service?.baseUrl)
  const isProvided = isAmong(server.services) && !isAmong(settings.services)
  if (service === undefined) return <Empty title={words.noService} />
  return (
    <>
      {services.length > 1 && (
        <SelectField
          label={words.service}
          value={service.baseUrl}
          options={services.map(({ baseUrl, label }) => ({
            value: baseUrl,
            label: nameOfService({ label, baseUrl }),
          }))}
          onChange={(next) => setParams({ for: next }, { replace: true })}
        />
      )}
      {isProvided && <p>{words.provided}</p>}
      <ProfileEditor key={service.baseUrl} service={service} isProvided={isProvided} />
      {needsToken(service) && <TokenPanel key={`token of ${service.baseUrl}`} service={service} />}
      <SpareTokens services={services} />
      <ProofPanel key={`proofs of ${service.baseUrl}`} service={service} isProvided={isProvided} />
    </>
  )
}
