import { needsToken } from '#signing/profile-needs.ts'
import { baseUrlOf, serviceIdOf, serviceName } from '#record/service.ts'
import type { Service } from '#settings/settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useTokens } from '#react/use-tokens.ts'
import { tokenTexts as words } from '#texts/en-tokens.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { Flow } from '#ui/page.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

/** A secret that is held must not be out of sight because its service was removed. */
export function SpareTokens({ services }: { readonly services: readonly Service[] }) {
  const { signer, refreshKeys } = useDashboard()
  const used = new Set(services.filter(needsToken).map(({ baseUrl }) => serviceIdOf(baseUrl)))
  const spare = (useTokens() ?? []).filter(({ serviceId }) => !used.has(serviceId))
  if (spare.length === 0) return null
  const forget = async (serviceId: string): Promise<void> => {
    await signer.forgetToken(serviceId).catch(() => undefined) // it is still listed then
    await refreshKeys()
  }
  return (
    <Panel title={words.spare}>
      <Stack>
        <p className="t12 ink3">{words.spareText}</p>
        {spare.map(({ serviceId }) => (
          <Flow key={serviceId}>
            <VisibleText text={serviceName(baseUrlOf(serviceId) ?? serviceId)} />
            <Button size="small" look="subtle" onClick={() => void forget(serviceId)}>
              {words.forget}
            </Button>
          </Flow>
        ))}
      </Stack>
    </Panel>
  )
}
