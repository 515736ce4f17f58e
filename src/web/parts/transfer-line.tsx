import type { Transfer } from '#react/use-transfer.ts'
import { transferTexts as words } from '#texts/en-transfer.ts'
import { Button } from '#ui/button.tsx'

export const TransferLine = ({ transfer: { share, end, cancel } }: { readonly transfer: Transfer }) => (
  <div className="flow">
    {share !== undefined && (
      <>
        <progress value={share} aria-label={words.progress(share)} />
        <span className="text-12 ink-3">{words.progress(share)}</span>
        <Button size="small" onClick={cancel}>
          {words.cancel}
        </Button>
      </>
    )}
    <output className="text-12 ink-1">{share === undefined && end !== undefined && words.end(...end)}</output>
  </div>
)
