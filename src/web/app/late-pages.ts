import { late } from '#ui/late.tsx'

export const AlarmsPage = late(async () => (await import('#features/alarms/alarms-page.tsx')).AlarmsPage)
export const AlarmRulesPage = late(
  async () => (await import('#features/alarms/alarm-rules-page.tsx')).AlarmRulesPage,
)
export const ComparePage = late(async () => (await import('#features/compare/compare-page.tsx')).ComparePage)
export const JournalPage = late(async () => (await import('#features/journal/journal-page.tsx')).JournalPage)
export const FirstRunPage = late(
  async () => (await import('#features/first-run/first-run-page.tsx')).FirstRunPage,
)
export const WallPage = late(async () => (await import('#features/wall/wall-page.tsx')).WallPage)
export const SettingsPage = late(
  async () => (await import('#features/settings/settings-page.tsx')).SettingsPage,
)
export const AboutPage = late(async () => (await import('#features/about/about-page.tsx')).AboutPage)
export const ReportPage = late(async () => (await import('#features/report/report-page.tsx')).ReportPage)
