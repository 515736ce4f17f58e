export type FileType = 'application/json' | 'text/csv' | 'image/svg+xml' | 'image/png'

/** Saves a text as a file through the browser's download, without a server. */
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
  // Revoked late, because some browsers would cancel the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Characters collected before they become a Blob, which the browser may move to disk. */
const HELD_MAX = 4_000_000

/** Collects a file that may be larger than memory. */
export function gatherFile() {
  const parts: Blob[] = []
  let held = ''
  const give = (): void => {
    if (held !== '') parts.push(new Blob([held]))
    held = ''
  }
  return {
    add: (text: string): void => {
      held += text
      if (held.length > HELD_MAX) give()
    },
    parts: (): readonly BlobPart[] => {
      give()
      return parts
    },
  }
}

/** Opens the browser's print dialog, which can also save a PDF. */
export const printPage = (): void => window.print()

/** Device pixels per pixel of the picture, so that it is sharp in a document. */
const PNG_SCALE = 2

/** Draws an SVG document and saves it as a PNG file. False: the browser did not draw it. */
export async function savePng(
  name: string,
  { svg, widthPx, heightPx }: { readonly svg: string; readonly widthPx: number; readonly heightPx: number },
): Promise<boolean> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image(widthPx, heightPx)
    image.src = url
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = widthPx * PNG_SCALE
    canvas.height = heightPx * PNG_SCALE
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (blob !== null) saveFile(name, [blob], 'image/png')
    return blob !== null
  } catch {
    return false
  } finally {
    URL.revokeObjectURL(url)
  }
}
