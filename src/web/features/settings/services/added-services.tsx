import { useEffect } from 'react'
import { Reads } from '#react/reads.tsx'
import { useAdded } from '#react/use-added.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

const words = settingsTexts.services.added
/** An address has at most 300 characters. */
const ADDRESS_CHARS_MAX = 300

/** What this dashboard's server would ask, though nobody asks for it here. Nothing where there is none. */
export const AddedServices = () => (
  <Reads>
    <Unused />
  </Reads>
)

function Unused() {
  const { unused, remove, isRemoved } = useAdded()
  const announce = useAnnounce()
  useEffect(() => {
    if (isRemoved !== undefined) announce(isRemoved ? words.removed : words.failed)
  }, [isRemoved, announce])
  if (unused.length === 0) return null
  return (
    <Panel title={words.title}>
      <p className="t12 ink2">{words.text}</p>
      <Properties
        items={unused.map(({ baseUrl, via }) => ({
          id: baseUrl,
          label: settingsTexts.services.fields.viaNames[via],
          value: (
            <>
              <VisibleText text={baseUrl} charsMax={ADDRESS_CHARS_MAX} />{' '}
              <Button
                size="small"
                look="subtle"
                aria-label={words.removeOne(baseUrl)}
                onClick={() => remove(baseUrl)}
              >
                {settingsTexts.remove}
              </Button>
            </>
          ),
        }))}
      />
      {isRemoved === false && <p className="t12 ink1">{words.failed}</p>}
    </Panel>
  )
}
