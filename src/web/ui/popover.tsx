import { useId, type ReactNode } from 'react'
import { IconButton } from './button.tsx'

type PopoverProps = { readonly label: string; readonly icon: ReactNode; readonly children: ReactNode }

/** A native popover under the top bar: opens by its button, closes by Escape or a click elsewhere. */
export function Popover({ label, icon, children }: PopoverProps) {
  const id = useId()
  return (
    <>
      <IconButton label={label} icon={icon} popoverTarget={id} />
      <div id={id} popover="auto" className="pop" role="group" aria-label={label}>
        {children}
      </div>
    </>
  )
}
