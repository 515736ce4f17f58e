import { useSingleKeys } from '#react/single-keys.ts'

/**
 * All shortcuts; the key listeners and the list of shortcuts both derive from this map. Keys separated by a space are pressed
 * in sequence; "mod" means Ctrl or ⌘. Shortcuts without "mod" can be turned off.
 */
export const SHORTCUTS = {
  page: { palette: ['mod k'], help: ['?'], search: ['/'], theme: ['t'] },
  go: {
    nodes: ['g n'],
    alarms: ['g a'],
    journal: ['g j'],
    settings: ['g s'],
    wall: ['g w'],
    report: ['g r'],
  },
  alarms: { acknowledge: ['a'], shelve: ['s'], mute: ['m'] },
} as const

type Scopes = typeof SHORTCUTS
export type ShortcutScope = keyof Scopes
export type ShortcutOf<S extends ShortcutScope> = keyof Scopes[S]

/** Enables the shortcuts of a scope while the component is mounted; shortcuts without an action stay inactive. */
export function useShortcuts<S extends ShortcutScope>(
  scope: S,
  acts: Readonly<Partial<Record<ShortcutOf<S> & string, () => void>>>,
): void {
  const keysOf: Readonly<Partial<Record<string, readonly string[]>>> = SHORTCUTS[scope]
  useSingleKeys(
    Object.fromEntries(
      Object.entries<(() => void) | undefined>(acts).flatMap(([name, act]) =>
        act === undefined ? [] : (keysOf[name] ?? []).map((key) => [key, act]),
      ),
    ),
  )
}
