import type { ReactNode } from 'react'

type NoteProps = { readonly icon: ReactNode; readonly title: string; readonly children: ReactNode }

/** A quiet remark with an icon, outside any panel. */
export const Note = ({ icon, title, children }: NoteProps) => (
  <section className="note">
    {icon}
    <div>
      <b>{title}</b>
      <p>{children}</p>
    </div>
  </section>
)
