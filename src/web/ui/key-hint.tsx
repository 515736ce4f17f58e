/** What is printed on keys whose names in code are other ones. */
const PRINTED: Readonly<Partial<Record<string, string>>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
}

/** A key of the keyboard, as it is printed on it. */
export const KeyHint = ({ children: key }: { readonly children: string }) => (
  <kbd className="key-hint">{PRINTED[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
)
