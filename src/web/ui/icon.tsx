import { classNames } from './class-names.ts'

/** Outlines of Lucide's icons, in a box of 24 by 24. */
const OUTLINES = {
  check: 'M20 6 9 17l-5-5',
  copy: 'M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2ZM4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2',
  monitor: 'M4 3h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2ZM8 21h8M12 17v4',
  moon: 'M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401',
  plus: 'M5 12h14M12 5v14',
  search: 'm21 21-4.34-4.34M19 11a8 8 0 1 1-16 0 8 8 0 0 1 16 0Z',
  sun: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM12 2v2M12 20v2M4.93 4.93l1.41 1.41M17.66 17.66l1.41 1.41M2 12h2M20 12h2M6.34 17.66l-1.41 1.41M19.07 4.93l-1.41 1.41',
}

export type IconName = keyof typeof OUTLINES

type IconProps = {
  readonly name: IconName
  readonly small?: boolean
  readonly className?: string | undefined
}

/**
 * Decoration beside words that say the same. For what the pages with a first status show: the package's own parts are
 * 3 kB of JavaScript that it would wait for.
 */
export const Icon = ({ name, small = false, className }: IconProps) => (
  <svg className={classNames('i', small && 's', className)} viewBox="0 0 24 24" aria-hidden>
    <path d={OUTLINES[name]} />
  </svg>
)
