import { useShortcuts } from '#parts/key-map.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useLocation } from '#react/location.ts'
import { closeOverlay, openOverlay, useOverlay } from '#react/overlay.ts'
import { PATHS } from '#react/routes.ts'
import { Palette } from './palette.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { NEXT_THEME } from './theme-toggle.tsx'

export function Keyboard() {
  const overlay = useOverlay()
  const [, navigate] = useLocation()
  const { configuration, saveSettings } = useDashboard()
  useShortcuts('page', {
    palette: () => {
      // An open dialog takes precedence.
      if (document.querySelector('dialog[open]') === null) openOverlay('palette')
    },
    help: () => openOverlay('shortcuts'),
    search: () => document.querySelector<HTMLElement>('main [aria-keyshortcuts="/"]')?.focus(),
    theme: () => {
      const { settings } = configuration.get()
      const { display } = settings
      saveSettings({ ...settings, display: { ...display, theme: NEXT_THEME[display.theme] } })
    },
  })
  useShortcuts('go', {
    nodes: () => navigate(PATHS.nodes),
    alarms: () => navigate(PATHS.alarms),
    journal: () => navigate(PATHS.journal),
    settings: () => navigate(PATHS.settings),
    wall: () => navigate(PATHS.wall),
    report: () => navigate(PATHS.report),
  })
  return (
    <>
      {overlay === 'palette' && <Palette />}
      <ShortcutsDialog open={overlay === 'shortcuts'} onClose={() => closeOverlay('shortcuts')} />
    </>
  )
}
