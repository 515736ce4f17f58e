import { lazy, Suspense, type ComponentType } from 'react'

/** The code of a lazy part could not be loaded. Browsers cache that failure until the page is reloaded. */
export class LatePartError extends Error {
  override readonly name = 'LatePartError'
}

/**
 * A part whose code loads on first render, with `Waiting` in its place until then. A failed load throws a `LatePartError` to
 * the nearest error boundary.
 */
export function late<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Waiting: ComponentType<P> = Nothing,
) {
  const Part = lazy(async () => {
    try {
      return { default: await load() }
    } catch (error) {
      throw new LatePartError(error instanceof Error ? error.message : String(error), { cause: error })
    }
  })
  return (props: P) => (
    <Suspense fallback={<Waiting {...props} />}>
      <Part {...props} />
    </Suspense>
  )
}

const Nothing = () => null
