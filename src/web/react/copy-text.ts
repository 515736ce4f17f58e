/**
 * Puts a text on the clipboard; resolves to whether it got there. Outside a secure context
 * (plain http to another host) the clipboard API does not exist, and the old command still works.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Typed as always there, but missing where the page is not a secure context.
    if (window.isSecureContext) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Refused, for instance because the page lost focus meanwhile: the old command may still work.
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
  // Behind a modal dialog everything is inert, and what is inert takes no focus.
  const dialog = Array.from(document.querySelectorAll('dialog[open]')).at(-1)
  ;(dialog ?? document.body).append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}
