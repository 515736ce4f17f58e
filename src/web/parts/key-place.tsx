import { ShieldCheck, ShieldAlert } from 'lucide-react'
import { useKeys } from '#react/use-fleet.ts'
import type { KeyInfo } from '#signer/api.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { Banner } from '#ui/banner.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { Note } from '#ui/finding.tsx'
import { copying } from './copying.ts'

export function KeyPlace({ custody }: { readonly custody: KeyInfo['custody'] | undefined }) {
  const { report } = useKeys()
  if (report === undefined && custody === undefined) return null
  const canKeep = report?.cryptography === 'webcrypto' && report.storage
  const planned = formTexts.custody.planned[canKeep ? 'device' : 'session']
  const Icon = (custody ?? (canKeep ? 'device' : 'session')) === 'session' ? ShieldAlert : ShieldCheck
  return (
    <Note icon={Icon} title={formTexts.custody.title}>
      {custody === undefined ? planned : formTexts.custody[custody]}
    </Note>
  )
}

export function SignerWarnings() {
  const { report } = useKeys()
  const isInsecure = report?.cryptography === 'javascript'
  const isOpen = report?.network === 'possible'
  if (!isInsecure && !isOpen) return null
  return (
    <div className="stack">
      {isInsecure && (
        <Banner level="warning" title={formTexts.insecure.title}>
          {formTexts.insecure.meaning}
        </Banner>
      )}
      {isInsecure && <WaysOut />}
      {isOpen && (
        <Banner level="warning" title={formTexts.openNetwork.title}>
          {formTexts.openNetwork.meaning}
        </Banner>
      )}
    </div>
  )
}

function WaysOut() {
  const port = location.port === '' ? '80' : location.port
  const { ways } = formTexts.insecure
  return (
    <>
      <CopyLine label={ways.local} text={`http://localhost:${port}/`} {...copying} />
      <CopyLine
        label={ways.tunnel}
        text={`ssh -L ${port}:127.0.0.1:${port} ${location.hostname}`}
        {...copying}
      />
      <p className="text-12 ink-3">{ways.https}</p>
    </>
  )
}
