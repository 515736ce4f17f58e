/** The mark and the name. */
export function Brand({ name, href }: { readonly name: string; readonly href?: string }) {
  const content = (
    <>
      <svg className="i" viewBox="0 0 24 24" aria-hidden>
        <path d="M12 21v-8.2M12 12.8 7.2 8V3.6M12 12.8 16.8 8V3.6M9.9 9.1V5M14.1 9.1V5" />
      </svg>
      <span>{name}</span>
    </>
  )
  return href === undefined ? (
    <div className="brand">{content}</div>
  ) : (
    <a className="brand" href={href}>
      {content}
    </a>
  )
}
