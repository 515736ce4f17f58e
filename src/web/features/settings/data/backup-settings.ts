import { salvageSettings, type Salvaged } from '#settings/salvage-settings.ts'
import { keepCopy } from '#react/platform.ts'

/** Settings stand in the first line; far more than any have. */
const HEAD_BYTES_MAX = 16_000_000

/** What of the settings in a backup can be read; undefined where the file is none, which restoring it then says. */
export async function settingsInBackup(file: Blob): Promise<Salvaged | undefined> {
  const [head = ''] = (await file.slice(0, HEAD_BYTES_MAX).text()).split('\n')
  try {
    const parsed: unknown = JSON.parse(head)
    if (typeof parsed !== 'object' || parsed === null || !('settings' in parsed)) return undefined
    return salvageSettings(JSON.stringify(parsed.settings))
  } catch {
    return undefined
  }
}

/** The settings of a backup that was restored, and what can't be read of them is kept as a copy. */
export function takeSettings(settings: unknown): Salvaged {
  const text = JSON.stringify(settings ?? null)
  const salvaged = salvageSettings(text)
  if (salvaged.used !== 'all') keepCopy(text)
  return salvaged
}
