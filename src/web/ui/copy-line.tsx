import { CopyButton } from './copy-button.tsx'

type CopyLineProps = {
  /** What the lines are; read out, and shown above them. */
  readonly label: string
  readonly text: string
  readonly copyLabel: string
  readonly copiedText: string
  readonly failedText: string
  readonly copy: (text: string) => Promise<boolean>
}

/** Text to be copied exactly, whole and in view. */
export const CopyLine = ({ label, text, ...button }: CopyLineProps) => (
  <div className="copy-line">
    <span className="hint">{label}</span>
    <pre className="mono">{text}</pre>
    <CopyButton text={text} label={`${button.copyLabel}: ${label}`} {...buttonTexts(button)} />
  </div>
)

const buttonTexts = ({ copiedText, failedText, copy }: Omit<CopyLineProps, 'label' | 'text'>) => ({
  copiedText,
  failedText,
  copy,
})
