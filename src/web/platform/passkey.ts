import { base64ToBytes, bytesToBase64Url, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'

/** `unsupported`: this browser or authenticator gives no secrets. `refused`: nobody touched it, or it is not the one. */
export type PasskeyProblem = 'unsupported' | 'refused'

export type PasskeyAnswer = {
  readonly credentialId: string
  readonly prfSalt: string
  readonly secret: Bytes
}

const LIMIT_MS = 120_000

/** WebAuthn wants a host name: an address in numbers is no relying party. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && /[a-z]/i.test(location.hostname) && !location.hostname.includes(':')

const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

/** Makes a passkey and asks it for its secret. The secret is made here, in the page: the browser offers it nowhere else. */
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

/** Asks for the secret of one of these passkeys. */
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
    return err('refused') // cancelled, timed out, or none of them is here: the browser doesn't tell
  }
}

const bytesOf = (text: string): Bytes => base64ToBytes(text) ?? new Uint8Array()

/** In a buffer of its own, which can be moved to the signer; the browser's is filled with zeros. */
function moved(source: BufferSource): Bytes {
  const view = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)
  const copy = new Uint8Array(view)
  view.fill(0)
  return copy
}
