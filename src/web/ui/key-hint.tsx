const PRINTED: Readonly<Partial<Record<string, string>>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
}

export const KeyHint = ({ children: key }: { readonly children: string }) => (
  <kbd className="key-hint ink-3">{PRINTED[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
)
