import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { Service, Settings } from '#settings/settings.ts'

/** A service's settings as they stand in a form: numbers as typed, in seconds. */
export type ServiceFields = {
  readonly label: string
  readonly via: Service['via']
  readonly poll: string
  readonly deadline: string
}

export type FieldProblem =
  | { readonly kind: 'not-a-number' }
  | { readonly kind: 'out-of-range'; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: 'too-long'; readonly max: number }

export type FieldProblems = Partial<Record<keyof ServiceFields, FieldProblem>>

const LABEL_CHARS_MAX = 60

const inSeconds = (ms: number): string => String(ms / 1_000)

export const fieldsOf = (service: Service): ServiceFields => ({
  label: service.label ?? '',
  via: service.via,
  poll: inSeconds(service.pollIntervalMs),
  deadline: inSeconds(service.timeoutMs),
})

/** The service with what the form says; or every field that is wrong. */
export function readFields(service: Service, fields: ServiceFields): Result<Service, FieldProblems> {
  const label = readText(fields.label, LABEL_CHARS_MAX)
  const poll = readSeconds(fields.poll, DEFAULTS.pollIntervalMinMs, DEFAULTS.pollIntervalMaxMs)
  const deadline = readSeconds(fields.deadline, DEFAULTS.timeoutMinMs, DEFAULTS.timeoutMaxMs)
  if (label.ok && poll.ok && deadline.ok) {
    const { label: _before, ...rest } = service
    return ok({
      ...rest,
      ...(label.value !== '' && { label: label.value }),
      via: fields.via,
      pollIntervalMs: poll.value,
      timeoutMs: deadline.value,
    })
  }
  return err({
    ...(!label.ok && { label: label.error }),
    ...(!poll.ok && { poll: poll.error }),
    ...(!deadline.ok && { deadline: deadline.error }),
  })
}

/** The settings with this service in the place of the one with the same address, or behind the others. */
export const withService = (settings: Settings, service: Service): Settings => ({
  ...settings,
  services: settings.services.some(({ baseUrl }) => baseUrl === service.baseUrl)
    ? settings.services.map((other) => (other.baseUrl === service.baseUrl ? service : other))
    : [...settings.services, service],
})

/** The settings without the service, what was set for it and, unless the server goes on describing it, without its nodes. */
export function withoutService(settings: Settings, baseUrl: string, keepNodes: boolean): Settings {
  // Nodes that name no service belong to the first one, which may become another by this.
  const named = settings.nodes.map((node) => ({
    ...node,
    ...(node.service === undefined && settings.services[0] && { service: settings.services[0].baseUrl }),
  }))
  return {
    ...settings,
    services: settings.services.filter((service) => service.baseUrl !== baseUrl),
    nodes: keepNodes ? named : named.filter(({ service }) => service !== baseUrl),
    rules: settings.rules.filter(
      (rule) => rule.for === 'tag' || rule.service !== baseUrl || (keepNodes && rule.for === 'node'),
    ),
  }
}

function readText(text: string, max: number): Result<string, FieldProblem> {
  const trimmed = text.trim()
  return trimmed.length > max ? err({ kind: 'too-long', max }) : ok(trimmed)
}

/** Seconds, with a point or a comma before the fraction, to whole ms. */
function readSeconds(text: string, minMs: number, maxMs: number): Result<number, FieldProblem> {
  const match = /^\d{1,9}(?:[.,]\d{1,6})?$/.exec(text.trim())
  if (match === null) return err({ kind: 'not-a-number' })
  const ms = Math.round(Number(match[0].replace(',', '.')) * 1_000)
  return ms < minMs || ms > maxMs ? err({ kind: 'out-of-range', minMs, maxMs }) : ok(ms)
}
