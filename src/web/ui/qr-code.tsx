import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'
import { useMemo } from 'react'

/** Quiet zone in modules; without it, cameras do not find the code. */
const QUIET = 4

type QrCodeProps = {
  readonly text: string
  readonly label: string
}

/** One path, dark on light in every theme, because many cameras read nothing else. */
export function QrCode({ text, label }: QrCodeProps) {
  const { path, size } = useMemo(() => pathOf(text), [text])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`}
      width="168"
      height="168"
      shapeRendering="crispEdges"
    >
      <rect x={-QUIET} y={-QUIET} width={size + 2 * QUIET} height={size + 2 * QUIET} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

function pathOf(text: string) {
  const code = generate(text)
  return { path: toSvgPath(code), size: code.size }
}
