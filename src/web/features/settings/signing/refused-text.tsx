import { useRef, type ReactNode } from 'react'
import type { SignedTextProblem } from '#signing/signed-text-check.ts'
import type { Service } from '#settings/schema.ts'
import { useRefusedText } from '#react/use-refused-text.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { Button } from '#ui/button.tsx'
import { Finding } from '#ui/finding.tsx'
import { Panel } from '#ui/panel.tsx'
import type { ProfileFields } from './profile-fields.ts'

const words = consentTexts.refused

type RefusedTextProps = {
  readonly service: Service
  /** The service with the edited profile; undefined while that is invalid. */
  readonly draft: Service | undefined
  readonly fields: ProfileFields
  readonly onChange: (part: Partial<ProfileFields>) => void
  readonly children: ReactNode
}

export function RefusedText({ service, draft, fields, onChange, children }: RefusedTextProps) {
  const isSavedRefused = useRefusedText(service) !== undefined
  const problem = useRefusedText(draft ?? service)
  const editor = useRef<HTMLDivElement>(null)
  const mended = problem === undefined ? undefined : mendedFields(problem, fields)
  const showText = (): void => {
    const controls = [
      ...(editor.current?.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>('textarea, input') ?? []),
    ]
    const found = problem !== undefined && 'found' in problem ? problem.found.toLowerCase() : ''
    const at = (value: string): number => (found === '' ? -1 : value.toLowerCase().indexOf(found))
    const control = controls.find(({ value }) => at(value) !== -1) ?? controls.find(isTextArea)
    control?.focus()
    const from = control === undefined ? -1 : at(control.value)
    if (from !== -1) control?.setSelectionRange(from, from + found.length)
  }
  return (
    <>
      {(isSavedRefused || problem !== undefined) && (
        <Panel title={words.title}>
          <div className="stack">
            {problem === undefined ? (
              <p className="text-12 ink-1">{words.mended}</p>
            ) : (
              <>
                <Finding kind="critical" kindLabel={words.kind}>
                  <span className="wrap-anywhere">{words.what(problem)}</span>
                </Finding>
                <p className="text-12">{words.why[problem.kind]}</p>
                <div className="flow">
                  {mended !== undefined && (
                    <Button look="primary" onClick={() => onChange(mended.fields)}>
                      {words.replace(mended.by)}
                    </Button>
                  )}
                  <Button onClick={showText}>{words.show}</Button>
                </div>
              </>
            )}
          </div>
        </Panel>
      )}
      <div ref={editor} className="stack refused-text-columns">
        {children}
      </div>
    </>
  )
}

const isTextArea = (control: HTMLElement): boolean => control instanceof HTMLTextAreaElement

const SIGNED_FIELDS = ['template', 'claims', 'jwtHeader', 'keyid', 'tag', 'headers'] as const

/** Replaces the literal value with the placeholder that the signer fills in; undefined if the value has another form. */
function mendedFields(
  problem: SignedTextProblem,
  fields: ProfileFields,
): { readonly fields: Partial<ProfileFields>; readonly by: string } | undefined {
  if (problem.kind === 'origin-missing') return undefined
  const by = placeholderFor(problem)
  if (by === undefined) return undefined
  const changed = SIGNED_FIELDS.flatMap((name) => {
    const text = replaced(fields[name], problem.found, by)
    return text === fields[name] ? [] : [[name, text] as const]
  })
  return changed.length === 0 ? undefined : { fields: Object.fromEntries(changed), by }
}

function placeholderFor({
  kind,
  found,
}: Extract<SignedTextProblem, { readonly found: string }>): string | undefined {
  if (kind === 'foreign-origin') return found.includes('://') ? '{origin}' : '{authority}'
  if (/^\d{10}$/.test(found)) return '{ts.s}'
  if (/^\d{13}$/.test(found)) return '{ts.ms}'
  return /^\d+$/.test(found) ? undefined : '{ts.iso}'
}

/** Replaces all occurrences, ignoring case. */
function replaced(text: string, found: string, by: string): string {
  let made = ''
  let from = 0
  const [lower, wanted] = [text.toLowerCase(), found.toLowerCase()]
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    made += text.slice(from, at) + by
    from = at + found.length
  }
  return made + text.slice(from)
}
