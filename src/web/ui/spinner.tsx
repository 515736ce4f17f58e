/** Something is under way. Stands still where motion is unwanted; the label says it anyway. */
export const Spinner = ({ label }: { readonly label: string }) => (
  <svg className="g spin" viewBox="0 0 16 16" role="img" aria-label={label}>
    <path className="m" d="M8 1.9A6.1 6.1 0 0 1 14.1 8" />
  </svg>
)
