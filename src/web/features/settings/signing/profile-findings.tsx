import { gradeOf, lintProfile } from '#signing/profile-lint.ts'
import { needsPreflight } from '#signing/profile-headers.ts'
import type { Profile } from '#signing/profile.ts'
import { PRESETS } from '#signing/presets.ts'
import type { DraftProblem } from '#settings/form-draft.ts'
import type { Service } from '#settings/settings.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { FINDING_TEXTS, profileTexts as words } from '#texts/en-profiles.ts'
import { CodeText } from '#ui/code-text.tsx'
import { Finding } from '#ui/finding.tsx'
import { Panel } from '#ui/panel.tsx'

const LEVELS = { error: 'critical', warning: 'warning', info: 'info' } as const

type ProfileFindingsProps = {
  readonly profile: Profile
  readonly presetId: string | undefined
  readonly service: Service
}

/** What a profile is worth, what it lacks, and what its headers ask of the service. */
export function ProfileFindings({ profile, presetId, service }: ProfileFindingsProps) {
  const grade = gradeOf(profile)
  const source = PRESETS.get(presetId ?? '')?.source
  return (
    <Panel title={words.findings} note={words.grade(grade)}>
      <p className="t12 ink1">{words.grades[grade]}.</p>
      {source !== undefined && (
        <p className="t12 ink3">
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
  if (service.via === 'proxy') return <p className="t12 ink3">{words.corsProxy}</p>
  const lines = [
    `Access-Control-Allow-Origin: ${location.origin}`,
    'Access-Control-Allow-Methods: GET',
    `Access-Control-Allow-Headers: ${names.join(', ')}`,
    'Access-Control-Expose-Headers: Date, Retry-After, WWW-Authenticate',
  ]
  return (
    <>
      <p className="t12 ink3">{words.corsDirect(location.origin)}</p>
      <CodeText label={words.cors} text={lines.join('\n')} />
    </>
  )
}

type DraftProblemsProps = {
  readonly problems: readonly Omit<DraftProblem<object>, 'field'>[]
  readonly title: string
  /** Of the mark before each. */
  readonly label: string
}

/** What keeps a profile from being one, in the words of its schema: they name its members. */
export const DraftProblems = ({ problems, title, label }: DraftProblemsProps) => (
  <output className="stack">
    <p className="t12 ink1">{title}</p>
    {problems.map(({ path, message, problem }) => (
      <Finding key={`${path} ${message}`} kind="critical" kindLabel={label}>
        {path === '' ? '' : `${path}: `}
        {message === '' ? fieldProblemText(problem) : message}
      </Finding>
    ))}
  </output>
)
