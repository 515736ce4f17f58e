import { LINE_MAX } from '#history/transfer/transfer.ts'
import { salvageSettings, type Salvaged } from '#settings/documents.ts'
import { keepCopy } from '#react/platform.ts'

/** More than the settings of most have. */
const HEAD_BYTES = 65_536

/** The first line, without reading much of a large file. */
async function firstLine(file: Blob): Promise<string> {
  for (let bytes = HEAD_BYTES; ; bytes *= 4) {
    const text = await file.slice(0, bytes).text()
    const end = text.indexOf('\n')
    if (end !== -1 || bytes >= file.size || text.length > LINE_MAX)
      return end === -1 ? text : text.slice(0, end)
  }
}

/** What of the settings in a backup can be read; undefined where the file is none, which restoring it then says. */
export async function settingsInBackup(file: Blob): Promise<Salvaged | undefined> {
  try {
    const parsed: unknown = JSON.parse(await firstLine(file))
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
