import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react'

type Tab<V extends string> = { readonly value: V; readonly label: string }

type TabsProps<V extends string> = {
  readonly label: string
  readonly value: V
  readonly tabs: readonly Tab<V>[]
  readonly onChange: (value: V) => void
  /** Places the tabs and the panel of the current tab separately. */
  readonly children: (tabs: ReactNode, panel: (content: ReactNode) => ReactNode) => ReactNode
}

/** Tabs that follow the focus (ARIA APG); one of them is in the tab order. */
export function Tabs<V extends string>({ label, value, tabs, onChange, children }: TabsProps<V>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const current = tabs.findIndex((tab) => tab.value === value)
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: (current + 1) % tabs.length,
    ArrowLeft: (current + tabs.length - 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  }
  const step = (event: KeyboardEvent): void => {
    const index = steps[event.key] ?? -1
    const tab = tabs[index]
    if (tab === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    list.current?.querySelectorAll('button')[index]?.focus()
    onChange(tab.value)
  }
  return children(
    <div role="tablist" aria-label={label} className="choices" ref={list}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={`${id}-${tab.value}`}
          aria-selected={tab.value === value}
          aria-controls={tab.value === value ? id : undefined}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
          onKeyDown={step}
        >
          {tab.label}
        </button>
      ))}
    </div>,
    (content) => (
      <div role="tabpanel" id={id} aria-labelledby={`${id}-${value}`}>
        {content}
      </div>
    ),
  )
}
