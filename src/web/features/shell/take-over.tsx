import { useState } from 'react'
import { needsKey } from '#signing/profile-needs.ts'
import type { FleetSnapshot } from '#fleet/live.ts'
import { useDashboard, type KeyState } from '#react/dashboard.ts'
import { useFleet, useKeys } from '#react/use-fleet.ts'
import { tabTexts } from '#texts/en-tabs.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { UnlockDialog } from '#parts/unlock-dialog.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

const words = tabTexts.alone

type Asking = 'take-over' | 'unlock'

/** Has this tab ask in the place of another. Where it could not sign what the other can, it says so first. */
export function TakeOver() {
  const { engine } = useDashboard()
  const fleet = useFleet((snapshot) => snapshot)
  const lacks = lackOf(fleet, useKeys())
  const [asking, setAsking] = useState<Asking>()
  // A dialog tells of its end only after the next one has been opened.
  const close = (what: Asking): void => setAsking((now) => (now === what ? undefined : now))
  const takeOver = (): void => {
    close('take-over')
    void engine.tabAct('take-over')
  }
  return (
    <>
      <Button
        size="small"
        look="quiet"
        onClick={lacks === undefined ? takeOver : () => setAsking('take-over')}
      >
        {tabTexts.takeOver}
      </Button>
      {lacks !== undefined && (
        <Dialog
          open={asking === 'take-over'}
          title={words.titles[lacks]}
          closeLabel={settingsTexts.close}
          onClose={() => close('take-over')}
          actions={
            <>
              <Button onClick={() => close('take-over')}>{settingsTexts.cancel}</Button>
              <Button look="danger" onClick={takeOver}>
                {words.allTheSame}
              </Button>
              {lacks === 'locked' && (
                <Button look="primary" onClick={() => setAsking('unlock')}>
                  {words.unlockFirst}
                </Button>
              )}
            </>
          }
        >
          <p>{words.texts[lacks]}</p>
        </Dialog>
      )}
      <UnlockDialog open={asking === 'unlock'} onClose={() => close('unlock')} />
    </>
  )
}

/** Why this tab could not ask what the other one asks; undefined where it could, or where they share a signer. */
function lackOf({ services }: FleetSnapshot, { keys, report }: KeyState): 'locked' | 'no-key' | undefined {
  if (report?.worker !== 'dedicated') return undefined
  const lacks = Array.from(services.values(), ({ service }) => {
    if (!needsKey(service)) return undefined
    const wanted = service.key ?? keys.at(-1)?.publicKey
    const key = keys.find(({ publicKey }) => publicKey === wanted)
    if (key === undefined) return 'no-key'
    return key.locked === true ? 'locked' : undefined
  })
  return lacks.find((lack) => lack === 'locked') ?? lacks.find((lack) => lack !== undefined)
}
