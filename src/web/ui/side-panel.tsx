import { X } from 'lucide-react'
import { useEffect, useEffectEvent, useId, useRef, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { useMedia, WIDTHS } from './use-media.ts'

type SidePanelProps = {
  readonly title: ReactNode
  readonly icon?: ReactNode
  readonly closeLabel: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Details of a list item: beside the list if there is space, otherwise a drawer over it. Escape closes it. */
export function SidePanel(props: SidePanelProps) {
  const isNarrow = useMedia(`(width <= ${WIDTHS.medium}px)`)
  return isNarrow ? <Drawer {...props} /> : <Aside {...props} />
}

function Aside(props: SidePanelProps) {
  const titleId = useId()
  const close = useEffectEvent(props.onClose)
  useEffect(() => {
    // Ignored while a dialog is open or a field uses the key.
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]') !== null)
        return
      if (event.target instanceof Element && event.target.matches('input, select, textarea')) return
      close()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <aside className="panel side-panel-aside" aria-labelledby={titleId}>
      <Content {...props} titleId={titleId} />
    </aside>
  )
}

function Drawer(props: SidePanelProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    if (ref.current?.open === false) ref.current.showModal()
  }, [])
  // The dialog closes before it unmounts, so that the browser restores the focus.
  return (
    <dialog ref={ref} className="dialog side-panel-drawer" aria-labelledby={titleId} onClose={props.onClose}>
      <Content {...props} titleId={titleId} onClose={() => ref.current?.close()} />
    </dialog>
  )
}

const Content = ({
  title,
  icon,
  closeLabel,
  onClose,
  children,
  titleId,
}: SidePanelProps & { titleId: string }) => (
  <>
    <div className="panel-head">
      {icon}
      <h2 id={titleId} className="grow">
        {title}
      </h2>
      <IconButton small label={closeLabel} icon={X} onClick={onClose} />
    </div>
    <div className="stack side-panel-body">{children}</div>
  </>
)
