import { useEffect, useRef } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { useStore, useNow } from '#react/use-fleet.ts'
import { alarmTexts as words } from '#texts/en-alarms.ts'
import { Toast, ToastList } from '#ui/toast.tsx'

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
    <ToastList label={words.act.done} ref={list}>
      {shown.map((said) => (
        <Toast
          key={said.id}
          text={said.text}
          undoLabel={words.act.undo}
          closeLabel={words.act.close}
          onUndo={
            said.undo &&
            (() => {
              drop(said)
              said.undo?.()
            })
          }
          onClose={() => drop(said)}
        />
      ))}
    </ToastList>
  )
}
