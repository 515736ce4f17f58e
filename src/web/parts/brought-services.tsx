import { toVisibleText } from '#base/visible-text.ts'
import type { Service } from '#settings/schema.ts'
import { consentTexts as words } from '#texts/en-consent.ts'
import { serviceLabel } from '#texts/names.ts'
import { SigningSummary } from './signing-summary.tsx'

export function BroughtServices({ services }: { readonly services: readonly Service[] }) {
  if (services.length === 0) return null
  const hosts = services.map(({ baseUrl }) => new URL(baseUrl).host)
  return (
    <>
      <p>{words.brings(services.length)}</p>
      {services.map((service, at) => (
        <div key={service.baseUrl} className="field">
          <h3 className="ink-1 wrap-anywhere">{toVisibleText(serviceLabel(service))}</h3>
          <SigningSummary service={service} otherHosts={hosts.toSpliced(at, 1)} />
        </div>
      ))}
      <p>{words.afterwards}</p>
    </>
  )
}
