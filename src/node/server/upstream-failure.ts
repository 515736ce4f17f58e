import type { ProxyFailure } from '#protocol/ports.ts'

const FAILURE_BY_CODE: Readonly<Record<string, ProxyFailure>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EHOSTDOWN: 'refused',
  EADDRNOTAVAIL: 'refused',
  EACCES: 'refused',
  EPERM: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  ETIMEDOUT: 'timeout',
  HPE_HEADER_OVERFLOW: 'too-large',
  EPROTO: 'tls',
}

/** Node's names for a certificate or a handshake that failed: OpenSSL's are without a common prefix. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/

/** What went wrong before an answer's headers were there. Everything unknown is a connection that broke. */
export function failureOfError(error: unknown): ProxyFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return FAILURE_BY_CODE[code] ?? (TLS_CODE.test(code) ? 'tls' : 'reset')
}

/** The proxy's own answer: what the operator reads when the service gave none. */
export const PROXY_PROBLEMS: Readonly<
  Record<ProxyFailure, { readonly status: 403 | 502 | 504; readonly detail: string }>
> = {
  refused: { status: 502, detail: 'The service does not accept connections.' },
  dns: { status: 502, detail: "The service's name was not found." },
  tls: { status: 502, detail: "The service's certificate was not accepted." },
  reset: { status: 502, detail: 'The connection to the service broke before it answered.' },
  timeout: { status: 504, detail: 'The service did not answer in time.' },
  'cut-off': { status: 502, detail: "The service's answer broke off." },
  'too-large': { status: 502, detail: "The service's answer is larger than the limit." },
  'not-allowed': {
    status: 403,
    detail: 'This request is not allowed here: only status requests to services that this server knows are.',
  },
}
