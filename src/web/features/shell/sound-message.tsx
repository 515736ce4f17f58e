import { useNotifier } from '#react/use-fleet.ts'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { notificationTexts } from '#texts/en-notifications.ts'
import { Banner } from '#ui/banner.tsx'
import { Button, LinkButton } from '#ui/button.tsx'

const words = notificationTexts.blocked

/** Says that alarms can't be heard, where somebody counts on it. */
export function SoundMessage() {
  const notifier = useNotifier()
  if (notifier?.isSoundMissed !== true) return null
  const isBlocked = notifier.sound === 'blocked'
  return (
    <Banner
      level="warning"
      title={isBlocked ? words.title : words.unsupportedTitle}
      actions={
        <>
          {isBlocked && (
            <Button size="small" look="primary" onClick={() => void notifier.unblockSound()}>
              {words.allow}
            </Button>
          )}
          <LinkButton size="small" href={hrefOf(`${SETTINGS_PATH}/notifications`)}>
            {words.settings}
          </LinkButton>
        </>
      }
    >
      {isBlocked ? words.text : words.unsupportedText}
    </Banner>
  )
}
