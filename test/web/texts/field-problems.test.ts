import { describe, expect, it } from 'vitest'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { parseSettings } from '#settings/documents.ts'
import { serviceAt, type Settings } from '#settings/schema.ts'
import { valueProblemText } from '#texts/en-field-problems.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { transferTexts } from '#texts/en-transfer.ts'

const service = serviceAt('https://a.example', 'proxy')
const told = (settings: unknown): readonly string[] => {
  const parsed = parseSettings(settings)
  return parsed.ok ? [] : parsed.error.map((problem) => valueProblemText(problem).replaceAll('\u00a0', ' '))
}
const withHistory = (history: Partial<Settings['history']>) => ({ ...EMPTY_SETTINGS, history })
const { retention } = transferTexts
const { fields } = settingsTexts.services

describe('an error in the settings', () => {
  it.each([
    [withHistory({ samplesDays: 0 }), `${retention.samplesDays}: Between 1 and 3,650.`],
    [withHistory({ rollupsDays: 4_000 }), `${retention.rollupsDays}: Between 1 and 3,650.`],
    [withHistory({ samplesDays: 1.5 }), `${retention.samplesDays}: Enter a whole number.`],
    [
      { ...EMPTY_SETTINGS, services: [service, { ...service, timeoutMs: 1 }] },
      `Service 2, ${fields.deadlineShown}: Between 500 ms and 2 m.`,
    ],
    [
      { ...EMPTY_SETTINGS, services: [{ ...service, label: 'x'.repeat(61) }] },
      `Service 1, ${fields.label}: At most 60 characters.`,
    ],
    [
      { ...EMPTY_SETTINGS, nodes: [{ id: '0x1' }, { id: '7' }] },
      `Node 2, ${settingsTexts.nodes.columns.id}: This is not a node id: 0x and hex digits.`,
    ],
  ])('names the field and the allowed values (%#)', (settings, sentence) => {
    expect(told(settings)).toEqual([sentence])
  })
})
