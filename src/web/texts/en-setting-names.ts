import type { Units, Limits, Service, Settings, WatchedNode } from '#settings/schema.ts'
import { settingsTexts } from './en-settings.ts'
import { transferTexts } from './en-transfer.ts'

const { services, nodes, display, sections } = settingsTexts
const { retention } = transferTexts

/** Names of the document's parts and of one entry in each; entries count from 1. */
const PARTS: Readonly<Record<Exclude<keyof Settings, 'version'>, string>> = {
  services: 'Service',
  nodes: 'Node',
  rules: sections.units,
  display: sections.display,
  history: sections.storage,
  alarms: 'Alarm rules',
  views: 'Saved views',
  serviceKeys: 'Service key',
}

type Member =
  | keyof Service
  | keyof WatchedNode
  | keyof Units
  | keyof Limits
  | keyof Settings['display']
  | keyof Settings['history']

/** Each member has the name of its form field; the type requires all of them. */
const MEMBERS: Readonly<Record<Member, string>> = {
  baseUrl: services.fields.baseUrl,
  label: services.fields.label,
  via: services.fields.via,
  profile: services.fields.profile,
  proof: 'Proof profile',
  key: sections.key,
  pollIntervalMs: services.fields.pollShown,
  timeoutMs: services.fields.deadlineShown,
  pace: services.fields.paceShown,
  service: 'Service',
  id: nodes.columns.id,
  name: nodes.columns.name,
  tags: nodes.columns.tags,
  notes: 'Notes',
  participation: 'Participation format',
  stakeSymbol: 'Stake unit',
  stakeDecimals: 'Stake decimals',
  heartbeat: 'Heartbeat unit',
  heartbeatPeriodMs: 'Heartbeat period',
  statusWords: 'Status values',
  extraFields: 'Additional fields',
  participationBelow: 'Participation below',
  participationAbove: 'Participation above',
  stakeBelow: 'Stake below',
  heartbeatWarningMs: 'Heartbeat age, warning',
  heartbeatCriticalMs: 'Heartbeat age, critical',
  answerTimeAboveMs: 'Response time above',
  theme: display.theme,
  contrast: display.contrast,
  timeZone: display.times,
  samplesDays: retention.samplesDays,
  rollupsDays: retention.rollupsDays,
  budgetBytes: retention.budget,
}
const NAMES = new Map(Object.entries({ ...PARTS, ...MEMBERS }))

/** The name inside a sentence. Names from another version are used unchanged. */
export function memberName(member: string): string {
  const name = NAMES.get(member)
  return name === undefined ? member : `${name.charAt(0).toLowerCase()}${name.slice(1)}`
}

/** A path in the settings, such as `services.0.timeoutMs`, in words: "Service 1, Timeout". */
export function settingName(path: string): string {
  const [part = '', ...rest] = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const place = /^\d+$/.test(rest[0] ?? '') ? Number(rest[0]) + 1 : undefined
  const member = rest.findLast((name) => NAMES.has(name))
  const names = [
    member === undefined || place !== undefined ? NAMES.get(part) : undefined,
    member === undefined ? undefined : NAMES.get(member),
  ]
  const [first = path, ...others] = names.filter((name) => name !== undefined)
  return [place === undefined ? first : `${first} ${place}`, ...others].join(', ')
}
