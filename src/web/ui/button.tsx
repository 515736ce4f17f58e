import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type ButtonLook = {
  /** At most one `primary` button on a page; `danger` is for destructive actions. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'subtle' | 'danger'
  readonly size?: 'small' | 'medium' | 'large'
  readonly icon?: ReactNode
}

const lookClass = ({ look, size }: ButtonLook) =>
  classNames('button', look !== 'plain' && look, size !== 'medium' && size)

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & ButtonLook & { readonly busy?: boolean }

/** A `busy` button keeps its focus and label but ignores clicks. */
export function Button({ look, size, icon, busy = false, children, onClick, type, ...rest }: ButtonProps) {
  return (
    <button
      type={type ?? 'button'}
      className={lookClass({ ...(look && { look }), ...(size && { size }) })}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {icon}
      {children}
    </button>
  )
}

type LinkButtonProps = Omit<ComponentProps<'a'>, 'className'> & ButtonLook & { readonly href: string }

export function LinkButton({ look, size, icon, children, ...rest }: LinkButtonProps) {
  return (
    <a className={lookClass({ ...(look && { look }), ...(size && { size }) })} {...rest}>
      {icon}
      {children}
    </a>
  )
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'className' | 'children' | 'aria-label'> & {
  readonly label: string
  readonly icon: ReactNode
  readonly small?: boolean
}

export function IconButton({ label, icon, small = false, type, ...rest }: IconButtonProps) {
  return (
    <button
      type={type ?? 'button'}
      className={classNames('button-icon', small && 'small')}
      aria-label={label}
      title={label}
      {...rest}
    >
      {icon}
    </button>
  )
}
