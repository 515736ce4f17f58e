import { settingsTexts as words } from '#texts/en-settings.ts'
import type { Saved } from './use-save.ts'

/** What the last save came to, said politely. Stands in the page from the start, so that it is read out. */
export const SavedNote = ({ saved }: { readonly saved: Saved | undefined }) => (
  <output className="t12 ink3">{saved !== undefined && textOf(saved)}</output>
)

function textOf(saved: Saved): string {
  if (saved.kind === 'saved') return words.saved
  if (saved.kind === 'here-only') return words.savedHereOnly
  return [words.invalid, ...saved.problems.map((problem) => words.problem(problem))].join(' ')
}
