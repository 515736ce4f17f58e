import type { Store } from '#base/store.ts'
import type { Configuration } from '#react/dashboard.ts'
import { applyTheme } from '#ui/theme.ts'

/** Shows theme and contrast as set, at each change. `theme.js` has done the same before the first paint. */
export function applyDisplay(configuration: Store<Configuration>): void {
  configuration.subscribe(() => {
    const { theme, contrast } = configuration.get().settings.display
    applyTheme(document.documentElement, theme, contrast)
  })
}
