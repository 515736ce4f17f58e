export type EvidenceProps = {
  readonly label: string
  /** A sentence each. */
  readonly items: readonly string[]
}

/** What was seen and speaks for what is said. Open at first; it may be put away. */
export const Evidence = ({ label, items }: EvidenceProps) => (
  <details className="details evidence" open>
    <summary>{label}</summary>
    <ul>
      {items.map((item) => (
        <li key={item} className="wrap-anywhere">
          {item}
        </li>
      ))}
    </ul>
  </details>
)
