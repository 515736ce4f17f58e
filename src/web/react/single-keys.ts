import { useEffect, useRef } from 'react'
import { createStore } from '#base/store.ts'
import { loadKeysOn, saveKeysOn } from '#platform/kept-keys.ts'
import { COMMAND_KEY } from './overlay.ts'
import { useStore } from './use-fleet.ts'

/** Actions by key: "a" is a single key, "g n" a sequence, "mod k" is with Ctrl or ⌘. */
type Keys = Readonly<Partial<Record<string, () => void>>>

/** Shared by the whole page, like the stored value. */
const keysOn = createStore(loadKeysOn())

/** Whether single-key shortcuts are on, and a function to change that; required by WCAG 2.1.4, stored for each browser. */
export function useKeysOn(): readonly [boolean, (on: boolean) => void] {
  const on = useStore(keysOn, (now) => now)
  return [on, turnSingleKeys]
}

export function turnSingleKeys(on: boolean): void {
  saveKeysOn(on)
  keysOn.publish(on)
}

const SECOND_KEY_MS = 1_500

type Latest = { current: Keys }

/** Mounted components with shortcuts; the last one mounted takes precedence. */
const takers = new Set<Latest>()
let first: { readonly key: string; readonly atMs: number } | undefined

const takerOf = (keys: string): (() => void) | undefined =>
  Array.from(takers, ({ current }) => current[keys]).findLast((act) => act !== undefined)

const beginsTwo = (key: string): boolean =>
  Array.from(takers).some(({ current }) => Object.keys(current).some((keys) => keys.startsWith(`${key} `)))

/** Combinations with a modifier also work while typing and cannot be turned off. */
function onCommand(event: KeyboardEvent, key: string): void {
  const isMod = COMMAND_KEY === '⌘' ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
  const act = isMod && !event.shiftKey ? takerOf(`mod ${key}`) : undefined
  if (act === undefined) return
  event.preventDefault()
  act()
}

/** Characters of the Slash key on Cyrillic and Arabic layouts, without and with Shift. */
const SLASH_ELSEWHERE = /^[.,؟]$/

/** The Latin letter or sign of a key; on a layout of another script, by the key's position. */
function keyOf({ key = '', code = '', shiftKey }: Partial<KeyboardEvent>): string {
  const isOther = /^[\p{L}\p{M}]$/u.test(key) && !/^\p{Script=Latin}$/u.test(key)
  if (code === 'Slash' && (isOther || SLASH_ELSEWHERE.test(key))) return shiftKey === true ? '?' : '/'
  return (isOther ? code.replace(/^Key/, '') : key).toLowerCase()
}

function onKeyDown(event: KeyboardEvent): void {
  const key = keyOf(event)
  if (event.defaultPrevented || event.repeat || event.altKey) return
  if (event.ctrlKey || event.metaKey) return onCommand(event, key)
  if (!keysOn.get() || isTyping(event.target)) return
  if (key === 'shift') return
  const isSecond = first !== undefined && event.timeStamp - first.atMs <= SECOND_KEY_MS
  const act = takerOf(isSecond ? `${first?.key} ${key}` : key)
  // An unknown second key does nothing, even if it is a single-key shortcut.
  first = !isSecond && act === undefined && beginsTwo(key) ? { key, atMs: event.timeStamp } : undefined
  if (act === undefined && first === undefined) return
  event.preventDefault()
  act?.()
}

/** Shortcuts of a mounted component. Single keys never act while typing, in a dialog, or with Ctrl, Alt or Meta. */
export function useSingleKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    if (takers.size === 0) window.addEventListener('keydown', onKeyDown)
    takers.add(latest)
    return () => {
      takers.delete(latest)
      if (takers.size === 0) window.removeEventListener('keydown', onKeyDown)
    }
  }, [])
}

/** A closed dialog keeps the focus until the next render. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input:not([type="radio"], [type="checkbox"]), textarea, select, dialog[open]') !== null)
