import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { withEditsOfAll, type EditsByService } from './node-edits.ts'
import { useSave, type Saved } from './save.tsx'

type UseNodeEdits = {
  readonly saved: Saved | undefined
  /** Applies edits at once, with a confirmation that undoes them. False if they could not be saved. */
  readonly edit: (edits: EditsByService, done: string) => boolean
}

export function useNodeEdits(): UseNodeEdits {
  const { configuration } = useDashboard()
  const { save, saved } = useSave()
  const say = useSay()
  const apply = (edits: EditsByService): EditsByService | undefined => {
    let undo: EditsByService | undefined
    const isSaved = save(() => {
      const applied = withEditsOfAll(configuration.get(), edits)
      ;({ undo } = applied)
      return applied.settings
    })
    return isSaved ? undo : undefined
  }
  return {
    saved,
    edit(edits, done) {
      const undo = apply(edits)
      if (undo !== undefined) say(done, () => void apply(undo))
      return undo !== undefined
    },
  }
}
