import type { Result } from '#base/result.ts'
import {
  choiceField,
  draftOf,
  numberField,
  readFields,
  secondsField,
  textField,
  type FieldProblems,
  type Fields,
} from '#react/form-draft.ts'
import { ServiceSchema, type Service, type Settings } from '#settings/schema.ts'

/** A service's settings as they stand in a form: numbers as typed, in seconds. */
export type ServiceFields = {
  readonly label: string
  readonly via: Service['via']
  readonly poll: string
  readonly deadline: string
  readonly pace: string
}

const FIELDS: Fields<ServiceFields> = {
  label: textField('label'),
  via: choiceField('via', ['proxy', 'direct']),
  poll: secondsField('pollIntervalMs', { required: true }),
  deadline: secondsField('timeoutMs', { required: true }),
  pace: numberField('pace'),
}

export const serviceFieldsOf = (service: Service): ServiceFields =>
  draftOf({ label: '', via: 'proxy', poll: '', deadline: '', pace: '' }, FIELDS, service)

/** The service with what the form says; or every field that is wrong. */
export const readServiceFields = (
  service: Service,
  fields: ServiceFields,
): Result<Service, FieldProblems<ServiceFields>> => readFields(ServiceSchema, FIELDS, fields, service)

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
    ...(settings.serviceKeys && {
      serviceKeys: settings.serviceKeys.filter(({ service }) => service !== baseUrl),
    }),
    nodes: keepNodes ? named : named.filter(({ service }) => service !== baseUrl),
    rules: settings.rules.filter(
      (rule) => rule.for === 'tag' || rule.service !== baseUrl || (keepNodes && rule.for === 'node'),
    ),
  }
}
