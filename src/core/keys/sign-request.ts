import { err, type Result } from '#base/result.ts'
import type { SignedHeaders } from '#signing/signer.ts'
import type { Profile } from '#signing/profile.ts'
import type { SigningInput } from '#signing/signing-values.ts'
import { messageToSign, signedHeaders } from '#signing/status-request.ts'
import type { TemplateProblem } from '#signing/template-parts.ts'
import type { SigningKey } from './signing-key.ts'

export const NO_SIGNATURE = new Uint8Array(64)

/** Signs one request as its profile says; with profile kind `none` the key is not used. */
export async function signRequest(
  profile: Profile,
  input: SigningInput,
  key: Pick<SigningKey, 'sign'>,
): Promise<Result<SignedHeaders, TemplateProblem>> {
  if (profile.message.kind === 'none') return signedHeaders(profile, input, NO_SIGNATURE)
  const message = messageToSign(profile, input)
  if (!message.ok) return err(message.error)
  return signedHeaders(profile, input, await key.sign(message.value))
}
