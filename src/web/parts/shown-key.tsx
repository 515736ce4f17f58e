import { formTexts } from '#texts/en-first-run.ts'
import { CopyLine } from '#ui/copy-line.tsx'
import { copying } from './copying.ts'

export const ShownKey = ({ publicKey, title }: { readonly publicKey: string; readonly title: string }) => (
  <>
    <CopyLine label={title} text={publicKey} {...copying} />
    <CopyLine label={formTexts.key.register} text={formTexts.key.registerLine(publicKey)} {...copying} />
  </>
)

type Keyed = { readonly publicKey: string }

/** Both ends, enough to tell the operator's own keys apart. */
export const shortKey = ({ publicKey }: Keyed): string => `${publicKey.slice(0, 4)}…${publicKey.slice(-4)}`

export const ShortKey = (key: Keyed) => <span className="mono">{shortKey(key)}</span>
