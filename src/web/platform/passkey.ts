import { base64ToBytes, bytesToBase64Url, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'

/** `unsupported`: this browser or authenticator provides no secrets. `refused`: cancelled, or the wrong passkey. */
export type PasskeyProblem = 'unsupported' | 'refused'

export type PasskeyAnswer = {
  readonly credentialId: string
  readonly prfSalt: string
  readonly secret: Bytes
}

const LIMIT_MS = 120_000

/** WebAuthn requires a host name; an IP address cannot be a relying party. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && /[a-z]/i.test(location.hostname) && !location.hostname.includes(':')

const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

/** Creates a passkey and requests its secret. The page receives the secret, because browsers offer it nowhere else. */
export async function createPasskey(name: string): Promise<Result<PasskeyAnswer, PasskeyProblem>> {
  try {
    const made = await navigator.credentials.create({
      publicKey: {
        rp: { name: 'immune' },
        user: { id: random(16), name, displayName: name },
        challenge: random(32),
        pubKeyCredParams: [
          { type: 'public-key', alg: -8 },
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -257 },
        ],
        authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
        timeout: LIMIT_MS,
        extensions: { prf: {} },
      },
    })
    if (!(made instanceof PublicKeyCredential)) return err('refused')
    if (made.getClientExtensionResults().prf?.enabled !== true) return err('unsupported')
    const credentialId = bytesToBase64Url(new Uint8Array(made.rawId))
    return await askPasskey([{ credentialId, prfSalt: bytesToBase64Url(random(32)) }])
  } catch {
    return err('refused')
  }
}

export async function askPasskey(
  known: readonly { readonly credentialId: string; readonly prfSalt: string }[],
): Promise<Result<PasskeyAnswer, PasskeyProblem>> {
  try {
    const asked = await navigator.credentials.get({
      publicKey: {
        challenge: random(32),
        allowCredentials: known.map(({ credentialId }) => ({
          type: 'public-key',
          id: bytesOf(credentialId),
        })),
        userVerification: 'required',
        timeout: LIMIT_MS,
        extensions: {
          prf: {
            evalByCredential: Object.fromEntries(
              known.map(({ credentialId, prfSalt }) => [credentialId, { first: bytesOf(prfSalt) }]),
            ),
          },
        },
      },
    })
    if (!(asked instanceof PublicKeyCredential)) return err('refused')
    const credentialId = bytesToBase64Url(new Uint8Array(asked.rawId))
    const prfSalt = known.find((one) => one.credentialId === credentialId)?.prfSalt
    const first = asked.getClientExtensionResults().prf?.results?.first
    if (prfSalt === undefined || first === undefined) return err('unsupported')
    return ok({ credentialId, prfSalt, secret: moved(first) })
  } catch {
    return err('refused') // The browser does not say whether the request was cancelled, timed out or found no passkey.
  }
}

const bytesOf = (text: string): Bytes => base64ToBytes(text) ?? new Uint8Array()

/** Copies the bytes to a buffer that can be transferred to the signer, and fills the browser's buffer with zeros. */
function moved(source: BufferSource): Bytes {
  const view = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)
  const copy = new Uint8Array(view)
  view.fill(0)
  return copy
}
