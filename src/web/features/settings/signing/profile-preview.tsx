import { useState } from 'react'
import { bytesToBase64, bytesToHex } from '#base/bytes.ts'
import { copying } from '#parts/copying.ts'
import { needsPreflight, type Profile } from '#signing/profile.ts'
import { usePreview, type Preview } from '#react/use-proof-try.ts'
import { corsHeaders } from '#texts/en-failures.ts'
import { profileTexts as words, FINDING_TEXTS } from '#texts/en-profiles.ts'
import { CodeText } from '#ui/code-text.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { Finding } from '#ui/finding.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { Segmented } from '#ui/choices.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'
import { statusUrl } from '#signing/signing-values.ts'
import type { SignedHeaders } from '#signing/signer.ts'
import { gradeOf, lintProfile } from '#signing/profile-lint.ts'
import { PRESETS } from '#signing/presets.ts'
import type { DraftProblem } from '#react/form-draft.ts'
import type { Service } from '#settings/schema.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { capitalized } from '#texts/format.ts'

type ProfilePreviewProps = {
  readonly profile: Profile | undefined
  readonly baseUrl: string
  readonly nodeId: string | undefined
}

/** The exact signed bytes and the request of a draft, made with a throwaway key. */
export function ProfilePreview({ profile, baseUrl, nodeId }: ProfilePreviewProps) {
  const preview = usePreview(profile, baseUrl, nodeId)
  return (
    <Panel title={words.preview} note={words.previewNote}>
      {profile === undefined || preview === undefined ? (
        <p className="text-12 ink-3">{words.notShown.waiting}</p>
      ) : preview !== 'broken' && preview.ok ? (
        <Shown preview={preview.value} baseUrl={baseUrl} isSigned={profile.message.kind !== 'none'} />
      ) : (
        <Finding kind="critical" kindLabel={words.severity.error}>
          {preview === 'broken' ? words.notShown.broken : words.fillProblem(preview.error.at)}
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
    <div className="stack">
      {isSigned && (
        <>
          <div className="flow">
            <span className="text-12 ink-3">{size}</span>
            <Segmented
              legend={words.view}
              value={view}
              options={(['text', 'hex'] as const).map((value) => ({ value, label: words.views[value] }))}
              onChange={setView}
            />
          </div>
          <CodeText
            label={size}
            text={view === 'hex' ? hexDump(text) : new TextDecoder().decode(text)}
            isTable={view === 'hex'}
          />
          <Properties
            items={[
              property(words.sha256, <span className="mono">{bytesToHex(sha256)}</span>),
              property(words.signature, <span className="mono">{bytesToBase64(signature)}</span>),
              property(words.publicKey, <span className="mono">{bytesToHex(publicKey)}</span>),
            ]}
          />
        </>
      )}
      <CodeText label={words.request} text={requestText(baseUrl, signed)} />
      {isSigned && (
        <Finding kind={verifies ? 'ok' : 'critical'} kindLabel={verifies ? '' : words.severity.error}>
          {verifies ? words.verified : words.notVerified}
        </Finding>
      )}
      <p className="text-12 ink-3">
        {isSigned ? words.throwAway : signed.token === undefined ? words.unsigned : words.tokenShown}
      </p>
      <Disclosure summary="curl">
        <CopyLine
          label={signed.token === undefined ? words.curl : words.curlUnsigned}
          text={curlCommand(baseUrl, signed)}
          {...copying}
        />
      </Disclosure>
    </div>
  )
}

function requestText(baseUrl: string, { headers, query }: SignedHeaders): string {
  const url = new URL(statusUrl(baseUrl, query))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`GET ${url.pathname}${url.search}`, `Host: ${url.host}`, ...lines].join('\n')
}

/** A curl command that sends this request. It contains the signature, never a key. */
const curlCommand = (baseUrl: string, { headers, query }: SignedHeaders): string =>
  ['curl', ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`)]
    .concat(quoted(statusUrl(baseUrl, query)))
    .join(' ')

/** Single-quoted for a POSIX shell, so that nothing inside is interpreted. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const ROW_BYTES = 16

function hexDump(bytes: Uint8Array): string {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += ROW_BYTES) {
    const row = Array.from(bytes.subarray(at, at + ROW_BYTES))
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
    rows.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(ROW_BYTES * 3 - 1)}  ${text}`)
  }
  return rows.join('\n')
}

const LEVELS = { error: 'critical', warning: 'warning', info: 'info' } as const

type ProfileFindingsProps = {
  readonly profile: Profile
  readonly presetId: string | undefined
  readonly service: Service
}

export function ProfileFindings({ profile, presetId, service }: ProfileFindingsProps) {
  const grade = gradeOf(profile)
  const source = PRESETS.get(presetId ?? '')?.source
  return (
    <Panel title={words.findings} note={words.grade(grade)}>
      <p className="text-12 ink-1">{capitalized(words.grades[grade])}.</p>
      {source !== undefined && (
        <p className="text-12 ink-3">
          {words.source} {source.name}
          {source.url === undefined ? '' : `, ${source.url}`}
        </p>
      )}
      {lintProfile(profile).map(({ code, severity, header }) => (
        <Finding key={`${code} ${header ?? ''}`} kind={LEVELS[severity]} kindLabel={words.severity[severity]}>
          {header === undefined ? '' : `${header}: `}
          {FINDING_TEXTS[code]}
        </Finding>
      ))}
      <Cors names={Object.keys(profile.headers).filter(needsPreflight)} service={service} />
    </Panel>
  )
}

function Cors({ names, service }: { readonly names: readonly string[]; readonly service: Service }) {
  if (service.via === 'proxy') return <p className="text-12 ink-3">{words.corsProxy}</p>
  return (
    <>
      <p className="text-12 ink-3">{words.corsDirect(location.origin)}</p>
      <CodeText label={words.cors} text={corsHeaders(location.origin, names)} />
    </>
  )
}

type DraftProblemsProps = {
  readonly problems: readonly Omit<DraftProblem<object>, 'field'>[]
  readonly title: string
  readonly label: string
}

/** Validation errors of a draft. They use the schema's names, so that they match the JSON. */
export const DraftProblems = ({ problems, title, label }: DraftProblemsProps) => (
  <output className="stack">
    <p className="text-12 ink-1">{title}</p>
    {problems.map(({ path, message, problem }) => (
      <Finding key={`${path} ${message}`} kind="critical" kindLabel={label}>
        {path === '' ? '' : `${path}: `}
        {message === '' ? fieldProblemText(problem) : message}
      </Finding>
    ))}
  </output>
)
