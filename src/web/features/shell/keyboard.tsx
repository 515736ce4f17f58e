import { useShortcuts } from '#parts/key-map.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useLocation } from '#react/location.ts'
import { closeOverlay, openOverlay, useOverlay } from '#react/overlay.ts'
import {
  ALARMS_PATH,
  JOURNAL_PATH,
  NODES_PATH,
  REPORT_PATH,
  SETTINGS_PATH,
  WALL_PATH,
} from '#react/routes.ts'
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
    nodes: () => navigate(NODES_PATH),
    alarms: () => navigate(ALARMS_PATH),
    journal: () => navigate(JOURNAL_PATH),
    settings: () => navigate(SETTINGS_PATH),
    wall: () => navigate(WALL_PATH),
    report: () => navigate(REPORT_PATH),
  })
  return (
    <>
      {overlay === 'palette' && <Palette />}
      <ShortcutsDialog open={overlay === 'shortcuts'} onClose={() => closeOverlay('shortcuts')} />
    </>
  )
}
