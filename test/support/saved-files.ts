import { vi } from 'vitest'

/** jsdom cannot save files. Records the files that the page offers for download, by name and text, oldest first. */
export function watchSavedFiles(): readonly {
  readonly name: string
  readonly text: () => Promise<string>
}[] {
  const saved: { name: string; text: () => Promise<string> }[] = []
  const blobs = new Map<string, Blob>()
  Object.assign(URL, {
    createObjectURL: (blob: Blob) => {
      const url = `blob:${blobs.size}`
      blobs.set(url, blob)
      return url
    },
    revokeObjectURL: () => {},
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    const blob = blobs.get(this.href)
    if (blob !== undefined) saved.push({ name: this.download, text: () => textOf(blob) })
  })
  return saved
}

const textOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
    reader.addEventListener('error', () => reject(new Error('the file could not be read')))
    reader.readAsText(blob)
  })
