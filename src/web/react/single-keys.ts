import { useEffect, useRef } from 'react'
import { createStore } from '#base/store.ts'
import { loadKeysOn, saveKeysOn } from '#platform/kept-keys.ts'
import { useStore } from './use-fleet.ts'

type Keys = Readonly<Record<string, () => void>>

/** One for the page, since the browser keeps one. */
const keysOn = createStore(loadKeysOn())

/** Whether single keys act at all, and the way to change it; a browser's own choice (WCAG 2.1.4). */
export function useKeysOn(): readonly [boolean, (on: boolean) => void] {
  const on = useStore(keysOn, (now) => now)
  return [on, setKeysOn]
}

function setKeysOn(on: boolean): void {
  saveKeysOn(on)
  keysOn.publish(on)
}

/** Single keys of a page. Never while typing, in a dialog, or together with Ctrl, Alt or Meta. */
export function useSingleKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  const [on] = useKeysOn()
  useEffect(() => {
    if (!on) return undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return
      const act = latest.current[event.key.toLowerCase()]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [on])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input:not([type="radio"], [type="checkbox"]), textarea, select, dialog') !== null)
