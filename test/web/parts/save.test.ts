import { expect, it } from 'vitest'
import { problemOf, type Saved } from '#parts/save.tsx'
import { settingsTexts } from '#texts/en-settings.ts'

it('a save reports a problem only if the browser could not store the settings', () => {
  const saves: readonly Saved[] = [{ kind: 'saved' }, { kind: 'here-only' }]
  expect(saves.map(problemOf)).toEqual([undefined, settingsTexts.savedHereOnly])
})
