import { THEMES } from '#settings/settings-documents.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { IconButton } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'

const ICONS = { system: 'monitor', dark: 'moon', light: 'sun' } as const

/** Goes round: as the system has it, dark, light. */
export function ThemeToggle() {
  const { saveSettings } = useDashboard()
  const { settings } = useConfiguration()
  const { theme } = settings.display
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <IconButton
      label={shellTexts.theme[theme]}
      icon={<Icon name={ICONS[theme]} />}
      onClick={() => saveSettings({ ...settings, display: { ...settings.display, theme: next } })}
    />
  )
}
