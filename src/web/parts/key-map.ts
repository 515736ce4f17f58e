import { useSingleKeys } from '#react/single-keys.ts'

/**
 * Every shortcut, once: what listens for keys and the list of shortcuts are both made from it. Keys with a space
 * between them are pressed one after the other, those with "mod" together with Ctrl or ⌘. The others can be turned off.
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

/** Has the shortcuts of a scope act while the component is on screen; those that are left out do not. */
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
