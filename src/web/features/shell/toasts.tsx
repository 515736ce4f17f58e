import { Check, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { useStore, useNow } from '#react/use-fleet.ts'
import { alarmTexts as words } from '#texts/en-alarms.ts'
import { Button, IconButton } from '#ui/button.tsx'

/** Confirmations that disappear after a time, but not while hovered or focused. */
export function Toasts() {
  const isEmpty = useStore(useDashboard().toasts, (toasts) => toasts.length === 0)
  return isEmpty ? null : <Shown />
}

function Shown() {
  const { toasts } = useDashboard()
  const shown = useStore(toasts, (now) => now)
  const nowMs = useNow()
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const { current } = list
    const isHeld = current?.matches(':hover') === true || current?.contains(document.activeElement) === true
    const left = toasts.get().filter(({ untilMs }) => untilMs > nowMs)
    if (!isHeld && left.length !== toasts.get().length) toasts.publish(left)
  }, [toasts, nowMs])
  const drop = (gone: (typeof shown)[number]): void =>
    toasts.publish(toasts.get().filter((said) => said !== gone))
  return (
    <section aria-label={words.act.done}>
      <ul className="toast-list" ref={list}>
        {shown.map((said) => (
          <li key={said.id} className="toast row ink-1">
            <Check className="icon done" aria-hidden />
            <span>{said.text}</span>
            {said.undo !== undefined && (
              <Button
                size="small"
                onClick={() => {
                  drop(said)
                  said.undo?.()
                }}
              >
                {words.act.undo}
              </Button>
            )}
            <IconButton small label={words.act.close} icon={X} onClick={() => drop(said)} />
          </li>
        ))}
      </ul>
    </section>
  )
}
