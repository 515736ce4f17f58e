/** Offers a text as a file to save. It goes from memory to the browser's download, through no server. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Freed when the browser has taken it; earlier would cancel the download in some browsers.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
