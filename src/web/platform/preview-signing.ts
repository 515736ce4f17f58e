import type { Bytes } from '#base/bytes.ts'
import { ok, type Result } from '#base/result.ts'
import { newKey, fitsSignature } from '#keys/signing-key.ts'
import { hasWebCrypto } from '#keys/web-crypto.ts'
import type { SignedHeaders } from '#signing/signer.ts'
import { hashOf, NONCE_BYTES } from '#signing/signing-values.ts'
import type { Profile } from '#signing/profile.ts'
import { usesToken } from '#signing/profile-needs.ts'
import { TOKEN_SHOWN } from '#signing/token.ts'
import { messageToSign, signedHeaders, signedText } from '#signing/status-request.ts'
import type { TemplateProblem } from '#signing/template.ts'
import { randomBytes, wallMs } from './worker-environment.ts'

export type Preview = {
  /** The exact bytes before any hash. */
  readonly text: Bytes
  readonly sha256: Bytes
  /** Empty if the profile signs nothing. */
  readonly signature: Bytes
  readonly publicKey: Bytes
  readonly signed: SignedHeaders
  /** Whether the signature verifies; with WebCrypto, other code than the signer's checks it. */
  readonly verifies: boolean
}

export type PreviewSigner = (
  profile: Profile,
  baseUrl: string,
  nodeId: string | undefined,
) => Promise<Result<Preview, TemplateProblem>>

/** Signs examples with a new key that is never stored, because an operator's key signs no drafts. */
export async function createPreviewSigner(): Promise<PreviewSigner> {
  const key = await newKey((await hasWebCrypto()) ? 'webcrypto' : 'javascript', randomBytes)
  const { publicKey } = key
  return async (profile, baseUrl, nodeId) => {
    const nonce = randomBytes(NONCE_BYTES)
    const token = usesToken(profile) ? TOKEN_SHOWN : undefined
    const input = { baseUrl, nodeId, publicKey, nowMs: wallMs(), nonce, token }
    const text = signedText(profile, input)
    const message = messageToSign(profile, input)
    if (!text.ok) return text
    if (!message.ok) return message
    const isSigned = profile.message.kind !== 'none'
    const signature = isSigned ? await key.sign(message.value) : new Uint8Array()
    const signed = signedHeaders(profile, input, signature)
    if (!signed.ok) return signed
    return ok({
      text: text.value,
      sha256: hashOf('sha-256', text.value),
      signature,
      publicKey,
      signed: signed.value,
      verifies: isSigned && fitsSignature(publicKey, message.value, signature),
    })
  }
}
