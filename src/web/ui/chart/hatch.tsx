/** The pattern of "asked, no answer". */
export const Hatch = ({ id }: { readonly id: string }) => (
  <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <line className="hatch-l" x1={0} y1={0} x2={0} y2={6} />
  </pattern>
)
