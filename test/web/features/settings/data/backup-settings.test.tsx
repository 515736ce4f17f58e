import { beforeEach, describe, expect, it } from 'vitest'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { settingsInBackup, takeSettings } from '#features/settings/data/backup-settings.ts'
import { keptCopies } from '#react/platform.ts'
import { backupOf } from '#test/support/backup-file.ts'

const fileOf = (settings: unknown): Blob =>
  new Blob([backupOf([JSON.stringify({ format: 'immune-node-backup', version: 1, settings })])])

describe('the settings in a backup', () => {
  beforeEach(() => localStorage.clear())

  it('are read as complete, newer or unusable, and as none from another file', async () => {
    expect(await settingsInBackup(fileOf(EMPTY_SETTINGS))).toMatchObject({ used: 'all', isNewer: false })
    expect(await settingsInBackup(fileOf({ ...EMPTY_SETTINGS, version: 99 }))).toMatchObject({
      isNewer: true,
    })
    expect(await settingsInBackup(fileOf('none'))).toMatchObject({ used: 'nothing' })
    expect(await settingsInBackup(new Blob(['']))).toBeUndefined()
    expect(await settingsInBackup(new Blob(['{"a":1}\n']))).toBeUndefined()
  })

  it('are read in full from a large file, with multi-byte characters intact', async () => {
    const node = (index: number) => ({
      id: `0x${index}`,
      service: 'https://a.example',
      name: `Fühler ${index}`,
      tags: [],
    })
    const nodes = Array.from({ length: 2_000 }, (_, index) => node(index))
    const note = 'ß'.repeat(100_000)
    const found = await settingsInBackup(
      fileOf({ ...EMPTY_SETTINGS, nodes, more: Array.from({ length: 100 }, () => note) }),
    )
    expect(found?.settings.nodes).toHaveLength(2_000)
    expect(found?.settings.nodes.at(-1)?.name).toBe('Fühler 1999')
  })

  it('from a later version are used in part, and a copy of the original is kept', () => {
    const later = { version: 99, services: [{ baseUrl: 'https://a.example', mood: 'new' }] }
    const { settings, used } = takeSettings(JSON.stringify(later))
    expect(used).toBe('part')
    expect(settings.services).toMatchObject([{ baseUrl: 'https://a.example' }])
    expect(keptCopies().map(({ text }) => text)).toEqual([JSON.stringify(later)])
  })

  it('from this version are used in full, without keeping a copy', () => {
    expect(takeSettings(JSON.stringify(EMPTY_SETTINGS))).toMatchObject({
      settings: EMPTY_SETTINGS,
      used: 'all',
    })
    expect(keptCopies()).toEqual([])
  })

  it('that can’t be read are not used, but a copy is kept', () => {
    expect(takeSettings('"none"').used).toBe('nothing')
    expect(takeSettings('null').used).toBe('nothing')
    expect(keptCopies().map(({ text }) => text)).toEqual(['"none"', 'null'])
  })
})
