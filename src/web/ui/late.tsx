import { lazy, Suspense, type ComponentType } from 'react'

/** A part's code could not be fetched. Browsers remember that until the page is loaded anew. */
export class LatePartError extends Error {
  override readonly name = 'LatePartError'
}

/** A part of the page whose code is fetched when it is first drawn, with `Waiting` in its place. Throws a `LatePartError` into the boundary around it. */
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
