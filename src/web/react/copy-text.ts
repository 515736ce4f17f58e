/**
 * Copies a text; resolves to whether it reached the clipboard. Outside a secure context (plain http to another host) the
 * Clipboard API does not exist, but `execCommand` still works.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    // The type claims that `clipboard` always exists, but it is missing outside a secure context.
    if (window.isSecureContext) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Rejected, for example because the page lost the focus; `execCommand` may still work.
  }
  return copyBySelection(text)
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  const focused = document.activeElement
  area.value = text
  area.readOnly = true
  area.setAttribute('aria-hidden', 'true')
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // A modal dialog makes everything behind it inert, and inert elements take no focus.
  const dialog = Array.from(document.querySelectorAll('dialog[open]')).at(-1)
  ;(dialog ?? document.body).append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}
