import { salvageSettings, type Salvaged } from '#settings/documents.ts'
import { keepCopy } from '#react/platform.ts'

/** Settings stand in the first line; far more than any have. */
const HEAD_BYTES_MAX = 16_000_000

/** What of the settings in a backup can be read; undefined where the file is none, which restoring it then says. */
export async function settingsInBackup(file: Blob): Promise<Salvaged | undefined> {
  const [head = ''] = (await file.slice(0, HEAD_BYTES_MAX).text()).split('\n')
  try {
    const parsed: unknown = JSON.parse(head)
    const content = isObject(parsed) && 'of' in parsed ? parsed.of : undefined
    return isObject(content) && 'settings' in content
      ? salvageSettings(JSON.stringify(content.settings))
      : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The settings of a backup that was restored, and what can't be read of them is kept as a copy. */
export function takeSettings(text: string): Salvaged {
  const salvaged = salvageSettings(text)
  if (salvaged.used !== 'all') keepCopy(text)
  return salvaged
}
