import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { IconButton } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'

/** The order in which they go round. */
export const NEXT_THEME = { system: 'dark', dark: 'light', light: 'system' } as const
const ICONS = { system: 'monitor', dark: 'moon', light: 'sun' } as const

/** Goes round: as the system has it, dark, light. */
export function ThemeToggle() {
  const { saveSettings } = useDashboard()
  const { settings } = useConfiguration()
  const { theme } = settings.display
  return (
    <IconButton
      label={shellTexts.theme[theme]}
      icon={<Icon name={ICONS[theme]} />}
      onClick={() =>
        saveSettings({ ...settings, display: { ...settings.display, theme: NEXT_THEME[theme] } })
      }
    />
  )
}
