import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { withEdits, type EditsByService } from './node-edits.ts'
import { useSave } from './save.tsx'

export function useNodeEdits() {
  const { configuration } = useDashboard()
  const { save, saved } = useSave()
  const say = useSay()
  const apply = (edits: EditsByService): EditsByService | undefined => {
    let undo: EditsByService | undefined
    const isSaved = save(() => {
      const applied = withEdits(configuration.get(), edits)
      ;({ undo } = applied)
      return applied.settings
    })
    return isSaved ? undo : undefined
  }
  return {
    saved,
    /** Applies edits at once, with a confirmation that undoes them. False if they could not be saved. */
    edit: (edits: EditsByService, done: string): boolean => {
      const undo = apply(edits)
      if (undo !== undefined) say(done, () => void apply(undo))
      return undo !== undefined
    },
  }
}
