export type Theme = 'system' | 'dark' | 'light'
export type Contrast = 'system' | 'normal' | 'more'

/** Sets the theme on the root element. `public/theme.js` does the same from the stored settings before the first paint. */
export function applyTheme(root: HTMLElement, theme: Theme, contrast: Contrast): void {
  setOrRemove(root, 'data-theme', theme)
  setOrRemove(root, 'data-contrast', contrast)
}

/** Without the attribute, the style sheet follows the system, whose contrast `public/theme.js` keeps on the root element. */
function setOrRemove(root: HTMLElement, name: string, value: string) {
  if (value === 'system') root.removeAttribute(name)
  else root.setAttribute(name, value)
}
