import { Search } from 'lucide-react'
import { COMMAND_KEY, openOverlay } from '#react/overlay.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { KeyHint } from '#ui/key-hint.tsx'

export const JumpButton = () => (
  <button
    type="button"
    className="jump-button ink-3"
    title={shellTexts.goTo}
    aria-keyshortcuts={COMMAND_KEY === 'Ctrl' ? 'Control+K' : 'Meta+K'}
    onClick={() => openOverlay('palette')}
  >
    <Search className="icon small" aria-hidden />
    <span className="truncate">{shellTexts.goTo}</span>
    <KeyHint>{`${COMMAND_KEY} K`}</KeyHint>
  </button>
)
