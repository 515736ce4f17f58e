import type { ComponentProps } from 'react'
import type { LucideIcon } from 'lucide-react'
import { classNames } from './class-names.ts'

export type ButtonLook = {
  /** At most one `primary` button on a page; `danger` is for destructive actions. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'subtle' | 'danger' | undefined
  readonly size?: 'small' | 'medium' | 'large' | undefined
  readonly icon?: LucideIcon | undefined
}

const lookClass = ({ look, size }: ButtonLook) =>
  classNames('button', look !== 'plain' && look, size !== 'medium' && size)

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & ButtonLook & { readonly busy?: boolean }

/** A `busy` button keeps its focus and label but ignores clicks. */
export function Button({
  look,
  size,
  icon: Icon,
  busy = false,
  children,
  onClick,
  type,
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type ?? 'button'}
      className={lookClass({ look, size })}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {Icon && <Icon className="icon small" aria-hidden />}
      {children}
    </button>
  )
}

type LinkButtonProps = Omit<ComponentProps<'a'>, 'className'> & ButtonLook & { readonly href: string }

export function LinkButton({ look, size, icon: Icon, children, ...rest }: LinkButtonProps) {
  return (
    <a className={lookClass({ look, size })} {...rest}>
      {Icon && <Icon className="icon small" aria-hidden />}
      {children}
    </a>
  )
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'className' | 'children' | 'aria-label'> & {
  readonly label: string
  readonly icon: LucideIcon
  readonly small?: boolean
}

export function IconButton({ label, icon: Icon, small = false, type, ...rest }: IconButtonProps) {
  return (
    <button
      type={type ?? 'button'}
      className={classNames('button-icon', small && 'small')}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon className={classNames('icon', small && 'small')} aria-hidden />
    </button>
  )
}
