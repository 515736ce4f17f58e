import { createPublicKey, verify } from 'node:crypto'
import type { SignedHeaders } from '#signing/signer.ts'

/** Whether node:crypto verifies a `bearer-v1` request. The signed text follows the profile's description. */
export function isGoodRequest(signed: SignedHeaders, origin: string, path: string): boolean {
  const header = (name: string): string => signed.headers[name] ?? ''
  const key = header('X-Node-Key')
  const text = [
    'immune-node-auth-v1',
    'GET',
    origin,
    path,
    signed.query,
    header('X-Node-Timestamp'),
    header('X-Node-Nonce'),
    key,
  ].join('\n')
  const [, signature] = /^Bearer ([0-9a-f]{128})$/.exec(header('Authorization')) ?? []
  if (signature === undefined) return false
  const x = Buffer.from(key, 'hex').toString('base64url')
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex'))
}
