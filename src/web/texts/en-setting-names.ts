import type { Service, Settings, WatchedNode } from '#settings/settings.ts'
import { settingsTexts } from './en-settings.ts'
import { transferTexts } from './en-transfer.ts'

const { services, nodes, display, sections } = settingsTexts
const { retention } = transferTexts

/** What one entry of a list is called; counted from 1. */
const ENTRIES: { readonly [K in 'services' | 'nodes' | 'rules']: string } = {
  services: 'Service',
  nodes: 'Node',
  rules: sections.units,
}

/** A member is called as its field is on the form; the compiler asks for each. */
const MEMBERS: {
  readonly services: Record<keyof Service, string>
  readonly nodes: Record<keyof WatchedNode, string>
  readonly rules: Record<'for' | 'service' | 'tag' | 'node' | 'units' | 'limits', string>
  readonly display: Record<keyof Settings['display'], string>
  readonly history: Record<keyof Settings['history'], string>
  readonly alarms: Record<keyof Settings['alarms'], string>
} = {
  services: {
    baseUrl: services.fields.baseUrl,
    label: services.fields.label,
    via: services.fields.via,
    profile: services.fields.profile,
    proof: 'Proof profile',
    key: sections.key,
    pollIntervalMs: services.fields.pollShown,
    timeoutMs: services.fields.deadlineShown,
  },
  nodes: {
    service: 'Service',
    id: nodes.columns.id,
    name: nodes.columns.name,
    tags: nodes.columns.tags,
    notes: 'Notes',
  },
  rules: { for: 'Scope', service: 'Service', tag: 'Tag', node: 'Node', units: 'Units', limits: 'Limits' },
  display: { theme: display.theme, contrast: display.contrast, timeZone: display.times },
  history: {
    samplesDays: retention.samplesDays,
    sumsDays: retention.sumsDays,
    budgetBytes: retention.budget,
  },
  alarms: { rules: 'Alarm rules', maintenance: 'Maintenance' },
}

/** A place in the settings' document, such as `services.0.timeoutMs`, in words: "Service 1, Timeout". */
export function settingName(path: string): string {
  const [group = '', ...rest] = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const place = /^\d+$/.test(rest[0] ?? '') ? Number(rest.shift()) + 1 : undefined
  const entry = new Map(Object.entries(ENTRIES)).get(group)
  const members = new Map(Object.entries(MEMBERS)).get(group)
  const member = members && new Map(Object.entries(members)).get(rest[0] ?? '')
  const names = [entry === undefined || place === undefined ? undefined : `${entry} ${place}`, member]
  return names.filter((name) => name !== undefined).join(', ') || path
}
