import { PartBoundaries } from '#parts/part-boundary.tsx'
import { hrefOf, PATHS } from '#react/routes.ts'
import { alarmRuleTexts as words } from '#texts/en-alarm-rules.ts'
import { PageHead } from '#ui/page.tsx'
import { BuiltInRules } from './built-in-rules.tsx'
import { MaintenanceWindows } from './maintenance.tsx'
import { OwnRules } from './own-rules.tsx'

export const AlarmRulesPage = () => (
  <div className="page">
    <PageHead title={words.title} crumb={{ href: hrefOf(PATHS.alarms), label: words.back }} />
    <PartBoundaries>
      <OwnRules />
      <MaintenanceWindows />
      <BuiltInRules />
    </PartBoundaries>
  </div>
)
