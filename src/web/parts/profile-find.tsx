import { useState } from 'react'
import type { Profile } from '#signing/profile.ts'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import type { Service } from '#settings/schema.ts'
import { useFindProfile, type Find } from '#react/use-find-profile.ts'
import { profileTexts } from '#texts/en-profiles.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Finding } from '#ui/finding.tsx'
import type { GlyphKind } from '#ui/glyph.tsx'

const words = profileTexts.find

type ProfileFindProps = {
  readonly service: Service
  readonly nodeId: string | undefined
  /** Whether a key may sign for the service; asks for consent if that is open. */
  readonly mayStart: () => Promise<boolean>
  readonly onFound: (profile: Profile) => void
}

/** Searches for a profile that the service accepts, after stating how many requests that takes. */
export function ProfileFind({ service, nodeId, mayStart, onFound }: ProfileFindProps) {
  const [isOpen, setOpen] = useState(false)
  const { find, start, stop } = useFindProfile(service, nodeId)
  const accepted = PROFILE_TRIES.find(({ id }) => find.steps.get(id)?.state === 'accepted')
  const begin = async (): Promise<void> => {
    if (await mayStart()) await start()
  }
  const close = (): void => {
    stop()
    setOpen(false)
  }
  return (
    <>
      <Button size="small" look="subtle" onClick={() => setOpen(true)}>
        {words.open}
      </Button>
      <Dialog
        open={isOpen}
        title={words.title}
        closeLabel={words.close}
        onClose={close}
        actions={
          <>
            {find.phase === 'running' ? (
              <Button onClick={stop}>{words.stop}</Button>
            ) : (
              <Button onClick={() => void begin()}>{words.start}</Button>
            )}
            {find.phase === 'accepted' && accepted !== undefined && (
              <Button
                look="primary"
                onClick={() => {
                  onFound(accepted.profile)
                  close()
                }}
              >
                {words.use}
              </Button>
            )}
          </>
        }
      >
        <p>{words.warning(PROFILE_TRIES.length)}</p>
        <p className="text-12 ink-3">{words.limits}</p>
        <ol aria-label={words.list}>
          {PROFILE_TRIES.map(({ id, profile: { title } }) => (
            <li key={id}>
              <Try title={title} step={find.steps.get(id)} />
            </li>
          ))}
        </ol>
        <output className="text-12 ink-1">{outcome(find, accepted?.profile.title)}</output>
      </Dialog>
    </>
  )
}

const KINDS: Readonly<Record<keyof typeof words.states, GlyphKind>> = {
  waiting: 'paused',
  asking: 'paused',
  accepted: 'done',
  refused: 'none',
  withheld: 'paused',
  failed: 'warning',
}

function Try({ title, step }: { readonly title: string; readonly step: ReturnType<Find['steps']['get']> }) {
  const state = step?.state ?? 'waiting'
  const status = step?.status === undefined ? '' : `, ${words.answer(step.status)}`
  return (
    <Finding kind={KINDS[state]} kindLabel="">
      {title}: {words.states[state]}
      {status}
    </Finding>
  )
}

function outcome({ phase, retryInMs }: Find, title: string | undefined): string {
  switch (phase) {
    case 'idle':
      return ''
    case 'accepted':
      return words.found(title ?? '')
    case 'too-soon':
      return words.tooSoon(Math.ceil(retryInMs / 60_000))
    case 'failed':
      return words.failed
    case 'running':
    case 'none':
    case 'stopped':
    case 'clock':
    case 'broken':
      return words[phase]
  }
}
