import { bytesToBase64Url } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { JwtMessage } from './profile.ts'
import { isParameter, placeholdersOf, type TemplateProblem } from './template-parts.ts'
import { fillTemplate, type TemplateValues } from './template.ts'

/** A JWS payload's bytes as RFC 7519 has them: header and claims in base64url with a dot between. */
export function jwtSigningInput(
  { alg, header, claims }: JwtMessage,
  values: TemplateValues,
): Result<string, TemplateProblem> {
  const head = jsonOf([['alg', alg], ...Object.entries(header)], values)
  if (!head.ok) return head
  const body = jsonOf(Object.entries(claims), values)
  if (!body.ok) return body
  return ok(`${encoded(head.value)}.${encoded(body.value)}`)
}

const encoded = (text: string): string => bytesToBase64Url(new TextEncoder().encode(text))

type Claim = JwtMessage['claims'][string]

/**
 * Written member by member: order is kept even for names that are numbers, and `__proto__` is a
 * name like any other. A member that needs a parameter which this request lacks is left out.
 */
function jsonOf(
  members: readonly (readonly [string, Claim])[],
  values: TemplateValues,
): Result<string, TemplateProblem> {
  const texts: string[] = []
  for (const [name, claim] of members) {
    const template = typeof claim === 'string' ? claim : claim.number
    if (namesAbsentParameter(template, values)) continue
    const filled = fillTemplate(template, values)
    if (!filled.ok) return filled
    if (typeof claim !== 'string' && !/^(0|-?[1-9][0-9]{0,14})$/.test(filled.value))
      return err({ kind: 'not-a-number', at: name.slice(0, 40) })
    texts.push(
      `${JSON.stringify(name)}:${typeof claim === 'string' ? JSON.stringify(filled.value) : filled.value}`,
    )
  }
  return ok(`{${texts.join(',')}}`)
}

const namesAbsentParameter = (template: string, { texts }: TemplateValues): boolean =>
  placeholdersOf(template).some((name) => isParameter(name) && !texts.has(name))
