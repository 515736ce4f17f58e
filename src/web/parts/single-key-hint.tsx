import { useKeysOn } from '#react/single-keys.ts'
import { KeyHint } from '#ui/key-hint.tsx'

/** A shortcut's key; hidden while single-key shortcuts are off. */
export function SingleKeyHint({ children }: { readonly children: string }) {
  const [on] = useKeysOn()
  return on && <KeyHint>{children}</KeyHint>
}
