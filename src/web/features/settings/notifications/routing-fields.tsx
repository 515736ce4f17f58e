import { useState } from 'react'
import { MINUTE_MS } from '#base/time.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { RoutingSchema, type Routing } from '#receivers/routing.ts'
import { parseBy } from '#settings/documents.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { serviceLabel } from '#texts/names.ts'
import { CheckBox } from '#ui/check-box.tsx'
import { formFields } from '#ui/form-fields.tsx'

const words = channelTexts.receivers.routing

type ServiceRoutesProps = {
  readonly routing: Routing | undefined
  readonly onChange: (routing: Routing) => void
}

/** The services whose alarms a receiver gets. Lists a removed service until the operator deselects it. */
export function ServiceRoutes({ routing, onChange }: ServiceRoutesProps) {
  const { services } = useConfiguration().effective
  const chosen = routing?.services ?? []
  const known = services.map(({ baseUrl }) => baseUrl)
  const gone = chosen.filter((baseUrl) => !known.includes(baseUrl))
  const choose = (next: readonly string[]): void => {
    const { services: _, ...others } = routing ?? {}
    onChange({ ...others, ...(next.length > 0 && { services: Array.from(next) }) })
  }
  const boxOf = (baseUrl: string, name: string) => (
    <CheckBox
      key={baseUrl}
      label={name}
      checked={chosen.includes(baseUrl)}
      onChange={(checked) => choose(checked ? [...chosen, baseUrl] : chosen.filter((one) => one !== baseUrl))}
    />
  )
  return (
    <fieldset>
      <legend className="visually-hidden">{words.services}</legend>
      <div className="field">
        {services.map((service) => {
          const label = serviceLabel(service)
          const isShared = services.filter((other) => serviceLabel(other) === label).length > 1
          const name = isShared ? words.sameName(label, service.baseUrl) : label
          return boxOf(service.baseUrl, toVisibleText(name, NAME_CHARS_MAX))
        })}
        {gone.map((baseUrl) => boxOf(baseUrl, words.goneService(toVisibleText(baseUrl, NAME_CHARS_MAX))))}
        <span className="text-12 ink-3">{words.servicesHint}</span>
      </div>
    </fieldset>
  )
}

const NAME_CHARS_MAX = 400

type RoutingFieldsProps = {
  readonly routing: Routing | undefined
  /** False for an Alertmanager, which has its own intervals. */
  readonly hasTimes: boolean
  readonly onChange: (routing: Routing) => void
}

/** Which alarms a receiver gets, and when. Valid input applies at once. */
export function RoutingFields({ routing, hasTimes, onChange }: RoutingFieldsProps) {
  const [typed, setTyped] = useState(() => typedOf(routing))
  const read = readRouting(typed, routing)
  const wrong = new Set(read.ok ? [] : read.error.map(({ path }) => path.split('.')[0]))
  const { text } = formFields(typed, (name, value) => {
    const next = { ...typed, [name]: value }
    setTyped(next)
    const parsed = readRouting(next, routing)
    if (parsed.ok) onChange(parsed.value)
  })
  return (
    <div className="settings-layout-fields">
      {text('tags', words.tags, {
        hint: words.tagsHint,
        error: wrong.has('tags') && words.notTags,
      })}
      {hasTimes && (
        <>
          {text('quiet', words.quiet, {
            hint: words.quietHint,
            error: wrong.has('quiet') && words.notQuiet,
          })}
          {text('minutes', words.repeat, {
            hint: words.repeatHint,
            inputMode: 'numeric',
            error: wrong.has('repeatMs') && words.notRepeat,
          })}
        </>
      )}
    </div>
  )
}

type Typed = { readonly tags: string; readonly quiet: string; readonly minutes: string }

const typedOf = (routing: Routing | undefined): Typed => ({
  tags: routing?.tags?.join(', ') ?? '',
  quiet: routing?.quiet ? `${routing.quiet.from}-${routing.quiet.to}` : '',
  minutes: routing?.repeatMs === undefined ? '' : String(routing.repeatMs / MINUTE_MS),
})

function readRouting({ tags: tagsText, quiet, minutes }: Typed, before: Routing | undefined) {
  const tags = tagsText.split(/[\s,]+/).filter((tag) => tag !== '')
  const [from = '', to = ''] = quiet.split(/\s*[-–]\s*/).map((time) => time.trim())
  return parseBy(RoutingSchema, {
    ...(before?.services !== undefined && { services: before.services }),
    ...(tags.length > 0 && { tags }),
    ...(quiet.trim() !== '' && { quiet: { from, to, zone: before?.quiet?.zone ?? 'local' } }),
    ...(minutes.trim() !== '' && { repeatMs: Math.round(Number(minutes) * MINUTE_MS) }),
  })
}
