import { Check, Copy } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useAnnounce } from './live-region.tsx'

type CopyLineProps = Omit<CopyButtonProps, 'children'> & { readonly copyLabel: string }

export const CopyLine = ({ label, text, ...button }: CopyLineProps) => (
  <div className="copy-line">
    <span className="text-12 ink-3">{label}</span>
    <pre className="mono text-11 ink-1 wrap-anywhere">{text}</pre>
    <CopyButton {...button} text={text} label={`${button.copyLabel}: ${label}`} />
  </div>
)

type CopyButtonProps = {
  /** The raw value to copy, which may differ from the displayed text. */
  readonly text: string
  readonly label: string
  readonly copiedText: string
  readonly failedText: string
  /** Resolves to whether the text reached the clipboard. */
  readonly copy: (text: string) => Promise<boolean>
  readonly children?: ReactNode
}

/** Copies, announces the result politely, and shows a tick until the pointer or focus leaves. */
export function CopyButton({ text, label, copiedText, failedText, copy, children }: CopyButtonProps) {
  const announce = useAnnounce()
  const [copied, setCopied] = useState(false)
  const reset = () => setCopied(false)
  const onClick = async () => {
    // Whatever the clipboard error, the only remedy is to select the text by hand, so the reason is dropped.
    const done = await copy(text).catch(() => false)
    setCopied(done)
    announce(done ? copiedText : failedText)
  }
  return (
    <button
      type="button"
      className="copy-line-button mono text-12"
      title={copied ? copiedText : label}
      onClick={() => void onClick()}
      onBlur={reset}
      onPointerLeave={reset}
    >
      <span className="visually-hidden">{label}</span>
      {children !== undefined && <span className="truncate">{children}</span>}
      {copied ? (
        <Check className="icon small done" aria-hidden />
      ) : (
        <Copy className="icon small" aria-hidden />
      )}
    </button>
  )
}
