import { Monitor, Moon, Sun } from 'lucide-react'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { IconButton } from '#ui/button.tsx'

export const NEXT_THEME = { system: 'dark', dark: 'light', light: 'system' } as const
const ICONS = { system: Monitor, dark: Moon, light: Sun } as const

export function ThemeToggle() {
  const { saveSettings } = useDashboard()
  const { settings } = useConfiguration()
  const { theme } = settings.display
  const Icon = ICONS[theme]
  return (
    <IconButton
      label={shellTexts.theme[theme]}
      icon={Icon}
      onClick={() =>
        saveSettings({ ...settings, display: { ...settings.display, theme: NEXT_THEME[theme] } })
      }
    />
  )
}
