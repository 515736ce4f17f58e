import { lazy, Suspense, useState } from 'react'
import { keyTexts } from '#texts/en-keys.ts'

/** Its own chunk: few want to see it. */
const QrCode = lazy(async () => {
  const { QrCode: loaded } = await import('#ui/qr-code.tsx')
  return { default: loaded }
})

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
