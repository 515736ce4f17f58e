import { useDashboard } from '#react/dashboard.ts'
import { useKeys, useStore } from '#react/use-fleet.ts'
import { reloadTexts as words } from '#texts/en-reload.ts'
import { Banner } from '#ui/banner.tsx'
import { Button } from '#ui/button.tsx'

/** Offers a newer version, and says whether this page would take it by itself. */
export function VersionMessage() {
  const isOld = useStore(useDashboard().health, ({ isOldVersion }) => isOldVersion === true)
  const losesKey = useKeys().keys.some(
    ({ custody, locked }) => custody === 'session' || (custody === 'vault' && locked !== true),
  )
  return isOld ? (
    <Banner
      level="info"
      title={words.newVersion}
      actions={
        <Button size="small" look="primary" onClick={() => location.reload()}>
          {words.reload}
        </Button>
      }
    >
      {losesKey ? words.newVersionLocked : words.newVersionText}
    </Banner>
  ) : null
}
