type MiniBarsProps = {
  /** From left to right. */
  readonly values: readonly number[]
  /** Bars above it are marked. */
  readonly limit: number
  /** The same in words. */
  readonly label: string
}

const HEIGHT = 24
const STEP = 2

/** A row of bars as small as a word. */
export function MiniBars({ values, limit, label }: MiniBarsProps) {
  const highest = Math.max(1, ...values)
  return (
    <svg
      viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, place) => {
        // What is none still has a foot, so that the time it covers is seen.
        const height = Math.max(1, (value / highest) * HEIGHT)
        return (
          <rect
            key={place}
            className={value > limit ? 'over' : undefined}
            x={place * STEP}
            y={HEIGHT - height}
            width={STEP - 0.5}
            height={height}
          />
        )
      })}
    </svg>
  )
}
