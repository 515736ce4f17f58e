import { useState } from 'react'
import { bytesToBase64, bytesToHex } from '#base/bytes.ts'
import { copying } from '#parts/copying.ts'
import type { Profile } from '#signing/profile.ts'
import { usePreview, type Preview } from '#react/use-preview.ts'
import { profileTexts as words } from '#texts/en-profiles.ts'
import { CodeText } from '#ui/code-text.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { Finding } from '#ui/finding.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Disclosure, Stack } from '#ui/settings-layout.tsx'
import { curlCommand, hexDump, requestText } from './profile-request.ts'

type ProfilePreviewProps = {
  readonly profile: Profile | undefined
  readonly baseUrl: string
  readonly nodeId: string | undefined
}

/** The exact bytes and the request that a draft makes, with a key that is good for nothing. */
export function ProfilePreview({ profile, baseUrl, nodeId }: ProfilePreviewProps) {
  const state = usePreview(profile, baseUrl, nodeId)
  return (
    <Panel title={words.preview} note={words.previewNote}>
      {profile === undefined || state.kind === 'waiting' ? (
        <p className="t12 ink3">{words.notShown.waiting}</p>
      ) : state.kind === 'shown' ? (
        <Shown preview={state.preview} baseUrl={baseUrl} isSigned={profile.message.kind !== 'none'} />
      ) : (
        <Finding kind="critical" kindLabel={words.severity.error}>
          {state.kind === 'problem' ? words.fillProblem(state.problem.at) : words.notShown.broken}
        </Finding>
      )}
    </Panel>
  )
}

type ShownProps = { readonly preview: Preview; readonly baseUrl: string; readonly isSigned: boolean }

function Shown({ preview, baseUrl, isSigned }: ShownProps) {
  const [view, setView] = useState<'text' | 'hex'>('text')
  const { text, sha256, signature, publicKey, signed, verifies } = preview
  const size = words.bytes(text.length)
  return (
    <Stack>
      {isSigned && (
        <>
          <div className="flow">
            <span className="t12 ink3">{size}</span>
            <Segmented
              legend={words.view}
              value={view}
              options={(['text', 'hex'] as const).map((value) => ({ value, label: words.views[value] }))}
              onChange={setView}
            />
          </div>
          <CodeText label={size} text={view === 'hex' ? hexDump(text) : new TextDecoder().decode(text)} />
          <Properties
            items={[
              [words.sha256, bytesToHex(sha256)],
              [words.signature, bytesToBase64(signature)],
              [words.publicKey, bytesToHex(publicKey)],
            ].map(([label = '', value]) => ({
              id: label,
              label,
              value: <span className="mono">{value}</span>,
            }))}
          />
        </>
      )}
      <CodeText label={words.request} text={requestText(baseUrl, signed)} />
      {isSigned && (
        <Finding kind={verifies ? 'ok' : 'critical'} kindLabel={verifies ? '' : words.severity.error}>
          {verifies ? words.verified : words.notVerified}
        </Finding>
      )}
      <p className="t12 ink3">
        {isSigned ? words.throwAway : signed.token === undefined ? words.unsigned : words.tokenShown}
      </p>
      <Disclosure summary="curl">
        <CopyLine
          label={signed.token === undefined ? words.curl : words.curlUnsigned}
          text={curlCommand(baseUrl, signed)}
          {...copying}
        />
      </Disclosure>
    </Stack>
  )
}
