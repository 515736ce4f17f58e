import { ownMember } from '#base/own-member.ts'
import { jsonIn } from '#base/stored.ts'
import { LINE_MAX } from '#history/transfer/transfer.ts'
import { salvageSettings, type Salvaged } from '#settings/documents.ts'
import { keepCopy } from '#react/platform.ts'

/** More than most settings documents need. */
const HEAD_BYTES = 65_536

/** The first line, reading as little of a large file as possible. */
async function firstLine(file: Blob): Promise<string> {
  for (let bytes = HEAD_BYTES; ; bytes *= 4) {
    const text = await file.slice(0, bytes).text()
    const end = text.indexOf('\n')
    if (end !== -1 || bytes >= file.size || text.length > LINE_MAX)
      return end === -1 ? text : text.slice(0, end)
  }
}

/** The readable part of a backup's settings; undefined if the file is not a backup, which the restore then reports. */
export async function settingsInBackup(file: Blob): Promise<Salvaged | undefined> {
  try {
    const settings = ownMember(ownMember(jsonIn(await firstLine(file)), 'of'), 'settings')
    return settings === undefined ? undefined : salvageSettings(JSON.stringify(settings))
  } catch {
    return undefined
  }
}

/** Settings from a restored backup. If part of them is unreadable, the whole document is stored as a copy. */
export function takeSettings(text: string): Salvaged {
  const salvaged = salvageSettings(text)
  if (salvaged.used !== 'all') keepCopy(text)
  return salvaged
}
