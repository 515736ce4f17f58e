import { Suspense, useState } from 'react'
import { keyTexts } from '#texts/en-keys.ts'
import { late } from '#ui/late.tsx'

/** Its own chunk: few want to see it. */
const QrCode = late(async () => (await import('#ui/qr-code.tsx')).QrCode)

/** The public key for another device's camera. */
export function KeyQr({ publicKey }: { readonly publicKey: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <details className="more" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary className="link">{keyTexts.card.qr}</summary>
      {isShown && (
        <Suspense fallback={null}>
          <QrCode text={publicKey} label={keyTexts.card.qrAlt} />
        </Suspense>
      )}
    </details>
  )
}
