import { useMemo, useRef, useState } from 'react'
import { useShortcuts } from '#parts/key-map.ts'
import { useLocation } from '#react/location.ts'
import { closeOverlay } from '#react/overlay.ts'
import { noteChoice, recentChoices } from '#react/platform.ts'
import { paletteTexts as words } from '#texts/en-keyboard.ts'
import { CommandPalette, type CommandSection } from '#ui/command-palette.tsx'
import { KeyHint } from '#ui/key-hint.tsx'
import { findChoices, type ChoiceGroup, type Found } from './palette-search.ts'
import { useChoices, type PaletteChoice } from './use-choices.ts'

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [, navigate] = useLocation()
  const choices = useChoices()
  const [query, setQuery] = useState('')
  const [recent] = useState(recentChoices)
  const found = useMemo(() => findChoices(choices, query), [choices, query])
  const sections = useMemo(() => sectionsOf(choices, found, query, recent), [choices, found, query, recent])
  const close = (): void => {
    dialog.current?.close()
    // The browser sends the close event a frame later; a shortcut pressed before opens the palette again.
    closeOverlay('palette')
  }
  useShortcuts('page', { palette: close })
  const choose = (choice: PaletteChoice): void => {
    noteChoice(choice.id)
    // Closes first, because the browser restores the focus on close and the next view may need it.
    close()
    if ('run' in choice) return choice.run()
    navigate(choice.path)
    document.getElementById('main')?.focus()
  }
  const isTyped = query.trim() !== ''
  return (
    <CommandPalette
      ref={dialog}
      title={words.title}
      closeLabel={words.close}
      listLabel={words.results}
      query={query}
      onQuery={setQuery}
      sections={sections}
      none={
        <>
          <b>{words.none}</b> {words.noneHint}
        </>
      }
      status={isTyped ? words.found(found.all) : ''}
      foot={
        <>
          <span aria-hidden>
            <KeyHint>ArrowUp</KeyHint> <KeyHint>ArrowDown</KeyHint> {words.hints.choose}
          </span>
          <span aria-hidden>
            <KeyHint>Enter</KeyHint> {words.hints.open}
          </span>
          {isTyped && found.hidden > 0 && <span>{words.more(found.hidden)}</span>}
        </>
      }
      onChoose={choose}
      onClose={close}
    />
  )
}

/** Without a query: recent choices, and pages with their own entry. */
function sectionsOf(
  choices: readonly PaletteChoice[],
  { groups }: Found<PaletteChoice>,
  query: string,
  recent: readonly string[],
): readonly CommandSection<PaletteChoice>[] {
  const section = (id: ChoiceGroup | 'recent', commands: readonly PaletteChoice[]) => ({
    id,
    label: words.groups[id],
    commands,
  })
  if (query.trim() !== '') return groups.map((each) => section(each.group, each.choices))
  const again = recent.flatMap((id) => choices.find((choice) => choice.id === id) ?? [])
  const others = groups
    .filter(({ group }) => group !== 'nodes' && group !== 'tags')
    .map((each) =>
      section(
        each.group,
        each.choices.filter((choice) => !again.includes(choice)),
      ),
    )
  return [section('recent', again), ...others].filter(({ commands }) => commands.length > 0)
}
