import { expect, it } from 'vitest'
import { problemOf, type Saved } from '#parts/save.tsx'
import { settingsTexts } from '#texts/en-settings.ts'

it('settings that the browser could not store are reported, stored ones are not', () => {
  const saves: readonly Saved[] = [{ kind: 'saved' }, { kind: 'here-only' }]
  expect(saves.map(problemOf)).toEqual([undefined, settingsTexts.savedHereOnly])
})
