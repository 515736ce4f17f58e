type SuggestionsProps = {
  readonly id: string
  readonly label: string
  /** Place of the one that Enter takes; -1: none. */
  readonly active: number
  readonly items: readonly { readonly text: string; readonly note: string | undefined }[]
  readonly onTake: (place: number) => void
}

/** Under a text field that names it as its list; focus stays in the field. */
export const Suggestions = ({ id, label, active, items, onTake }: SuggestionsProps) => (
  <div id={id} role="listbox" aria-label={label} className="suggestions" hidden={items.length === 0}>
    {items.map(({ text, note }, place) => (
      // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys
      <div
        key={`${place} ${text}`}
        id={`${id}-${place}`}
        role="option"
        tabIndex={-1}
        aria-selected={place === active}
        onPointerDown={(event) => {
          // The field keeps the focus.
          event.preventDefault()
          onTake(place)
        }}
      >
        <span className="mono">{text}</span>
        {note !== undefined && <span className="ink3">{note}</span>}
      </div>
    ))}
  </div>
)
