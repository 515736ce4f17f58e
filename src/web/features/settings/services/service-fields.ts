import type { Result } from '#base/result.ts'
import {
  choiceField,
  draftOf,
  numberField,
  readFields,
  secondsField,
  textField,
  type DraftOf,
  type FieldProblems,
} from '#react/form-draft.ts'
import { ServiceSchema, type Service, type Settings } from '#settings/schema.ts'

const FIELDS = {
  label: textField('label'),
  via: choiceField('via', ['proxy', 'direct']),
  poll: secondsField('pollIntervalMs', { required: true }),
  deadline: secondsField('timeoutMs', { required: true }),
  pace: numberField('pace'),
}

/** A service's settings as form values; numbers as typed, in seconds. */
export type ServiceFields = DraftOf<typeof FIELDS>

export const serviceFieldsOf = (service: Service): ServiceFields => draftOf(FIELDS, service)

export const readServiceFields = (
  service: Service,
  fields: ServiceFields,
): Result<Service, FieldProblems<ServiceFields>> => readFields(ServiceSchema, FIELDS, fields, service)

export const withService = (settings: Settings, service: Service): Settings => ({
  ...settings,
  services: settings.services.some(({ baseUrl }) => baseUrl === service.baseUrl)
    ? settings.services.map((other) => (other.baseUrl === service.baseUrl ? service : other))
    : [...settings.services, service],
})

/**
 * Removes the service with its rules and nodes. With `keepNodes`, the nodes and their rules stay, because the server still has
 * the service.
 */
export function withoutService(settings: Settings, baseUrl: string, keepNodes: boolean): Settings {
  // Nodes without a service belong to the first one, which this removal may change.
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
