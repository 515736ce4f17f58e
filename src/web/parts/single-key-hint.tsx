import { useKeysOn } from '#react/single-keys.ts'
import { KeyHint } from '#ui/key-hint.tsx'

/** The key of a shortcut; nothing while single keys are turned off. */
export function SingleKeyHint({ children }: { readonly children: string }) {
  const [on] = useKeysOn()
  return on && <KeyHint>{children}</KeyHint>
}
