import { useCallback, useState } from 'react'

/** A set of ids, and a function that removes these ids if it has one of them, or else adds them. */
export function useToggled(): readonly [ReadonlySet<string>, (ids: readonly string[]) => void] {
  const [on, setOn] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback(
    (ids: readonly string[]): void =>
      setOn((now) =>
        ids.some((id) => now.has(id))
          ? new Set(Array.from(now).filter((id) => !ids.includes(id)))
          : new Set([...now, ...ids]),
      ),
    [],
  )
  return [on, toggle]
}
