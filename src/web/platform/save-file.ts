/** What a file is, for the browser. */
export type FileType = 'application/json' | 'text/csv'

/** Offers a text, whole or in parts, as a file to save. It goes from memory to the browser's download, through no server. */
export function saveFile(
  name: string,
  text: string | readonly BlobPart[],
  type: FileType = 'application/json',
): void {
  const url = URL.createObjectURL(new Blob(typeof text === 'string' ? [text] : [...text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Freed when the browser has taken it; earlier would cancel the download in some browsers.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Characters that are held before the browser gets them, which may put them on the disk. */
const HELD_MAX = 4_000_000

/** Gathers a file that may be larger than memory. */
export function gatherFile(): {
  readonly add: (text: string) => void
  readonly parts: () => readonly BlobPart[]
} {
  const parts: Blob[] = []
  let held = ''
  const give = (): void => {
    if (held !== '') parts.push(new Blob([held]))
    held = ''
  }
  return {
    add: (text) => {
      held += text
      if (held.length > HELD_MAX) give()
    },
    parts: () => {
      give()
      return parts
    },
  }
}
