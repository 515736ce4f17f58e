import { ownMember } from '#base/own-member.ts'
import { readLocalJson, writeLocal } from './local-storage.ts'
import { siteName } from './site.ts'

/** A stored settings document. `atMs` is the time it was stored, in Unix ms, and its id. */
export type KeptText = { readonly atMs: number; readonly text: string }

const copies = keptList(siteName('immune-settings-copies'), 3, 4_000_000)
const undos = keptList(siteName('immune-settings-undo'), 20, 1_000_000)

/** Documents that could not be read in full, newest last: damaged ones and those of later versions. */
export const keptCopies = (): readonly KeptText[] => copies.all()

export function keepCopy(text: string): void {
  if (!keptCopies().some((copy) => copy.text === text)) copies.add(text)
}

export const removeCopy = (atMs: number): void => copies.keepOnly((copy) => copy.atMs !== atMs)

/** The settings before each of the latest changes, newest last. */
export const undoSteps = (): readonly KeptText[] => undos.all()

export const noteUndo = (before: object): void => undos.add(JSON.stringify(before))

export const dropUndo = (atMs: number): void => undos.keepOnly((step) => step.atMs < atMs)

export function clearKept(): void {
  copies.keepOnly(() => false)
  undos.keepOnly(() => false)
}

/**
 * A list of the newest texts in localStorage, which holds about five million characters in total. Texts that do not fit stay in
 * this tab's memory.
 */
function keptList(key: string, max: number, charsMax: number) {
  let unwritten: readonly KeptText[] = []
  const all = (): readonly KeptText[] =>
    [...unwritten, ...parsed(readLocalJson(key))].toSorted((a, b) => a.atMs - b.atMs)
  const set = (list: readonly KeptText[]): void => {
    for (let from = 0; from <= list.length; from++) {
      const text = JSON.stringify(list.slice(from))
      if (text.length > charsMax || !writeLocal(key, from === list.length ? null : text)) continue
      unwritten = list.slice(0, from)
      return
    }
    unwritten = list
  }
  return {
    all,
    add: (text: string): void => {
      const list = all()
      const atMs = Math.max(Date.now(), (list.at(-1)?.atMs ?? 0) + 1)
      set([...list, { atMs, text }].slice(-max))
    },
    keepOnly: (wanted: (kept: KeptText) => boolean): void => set(all().filter(wanted)),
  }
}

const isKept = (value: unknown): value is KeptText =>
  typeof ownMember(value, 'atMs') === 'number' && typeof ownMember(value, 'text') === 'string'

/** A damaged list counts as empty. */
function parsed(list: unknown): readonly KeptText[] {
  return Array.isArray(list) ? list.filter(isKept) : []
}
