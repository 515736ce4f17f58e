import { base64ToBytes } from '#base/bytes.ts'
import { lintProfile, gradeOf } from '#signing/profile-lint.ts'
import type { Profile } from '#signing/profile.ts'
import { signedText } from '#signing/status-request.ts'
import { profileOf } from '#signing/presets.ts'
import type { Service } from '#settings/schema.ts'
import { useExampleInput, useRefusedText } from '#react/use-refused-text.ts'
import { consentTexts as words } from '#texts/en-consent.ts'
import { FINDING_TEXTS, profileTexts } from '#texts/en-profiles.ts'
import { CodeText } from '#ui/code-text.tsx'
import { Finding } from '#ui/finding.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

/** Longest valid base URL. */
const ADDRESS_CHARS_MAX = 300

type SigningSummaryProps = {
  readonly service: Service
  readonly otherHosts?: readonly string[]
}

export function SigningSummary({ service, otherHosts }: SigningSummaryProps) {
  const input = useExampleInput(service)
  const problem = useRefusedText(service, otherHosts)
  const profile = profileOf(service)
  if (profile === undefined) return null
  const text = signedText(profile, input)
  const errors = lintProfile(profile).filter(({ severity }) => severity === 'error')
  const isSigned = profile.message.kind !== 'none'
  return (
    <>
      <Properties
        items={[
          property(words.address, <VisibleText text={service.baseUrl} charsMax={ADDRESS_CHARS_MAX} />),
          property(words.profile, <VisibleText text={nameOf(service, profile)} />),
          property(words.grade, `${gradeOf(profile)}: ${profileTexts.grades[gradeOf(profile)]}`),
        ]}
      />
      {problem !== undefined && (
        <Finding kind="critical" kindLabel={words.refused.kind}>
          <span className="wrap-anywhere">{words.refused.what(problem)}</span>{' '}
          {words.refused.why[problem.kind]}
        </Finding>
      )}
      {errors.map(({ code, header }) => (
        <Finding key={`${code} ${header ?? ''}`} kind="critical" kindLabel={profileTexts.severity.error}>
          {FINDING_TEXTS[code]}
        </Finding>
      ))}
      {isSigned && text.ok && <SignedText profile={profile} bytes={text.value} />}
    </>
  )
}

function SignedText({ profile, bytes }: { readonly profile: Profile; readonly bytes: Uint8Array }) {
  const text = new TextDecoder().decode(bytes)
  return (
    <>
      <p className="text-12 ink-3">{words.size(bytes.length, text.split('\n').length)}</p>
      <CodeText label={words.example} text={readable(profile, text)} />
    </>
  )
}

const nameOf = ({ profile: named }: Service, { title }: Profile): string =>
  typeof named === 'string' ? `${title ?? ''} (${named})` : `${title ?? words.untitled} (${words.own})`

/** The parts of a token are signed as base64url, so their decoded text follows. */
function readable({ message }: Profile, text: string): string {
  if (message.kind !== 'jwt') return text
  const parts = text.split('.').map((part) => decoded(part))
  return [text, '', ...parts].join('\n')
}

const decoded = (part: string): string => new TextDecoder().decode(base64ToBytes(part))
