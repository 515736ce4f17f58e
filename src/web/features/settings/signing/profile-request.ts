import { statusUrl } from '#signing/status-address.ts'
import type { SignedHeaders } from '#signing/signer.ts'

/** The request as it goes over the wire. */
export function requestText(baseUrl: string, { headers, query }: SignedHeaders): string {
  const url = new URL(statusUrl(baseUrl, query))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`GET ${url.pathname}${url.search}`, `Host: ${url.host}`, ...lines].join('\n')
}

/** A command that sends this very request. It holds the signature and never a key. */
export const curlCommand = (baseUrl: string, { headers, query }: SignedHeaders): string =>
  ['curl', ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`)]
    .concat(quoted(statusUrl(baseUrl, query)))
    .join(' ')

/** For a POSIX shell: nothing inside has a meaning. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const ROW_BYTES = 16

/** Sixteen bytes a row: place, hex, and what can be printed. */
export function hexDump(bytes: Uint8Array): string {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += ROW_BYTES) {
    const row = Array.from(bytes.subarray(at, at + ROW_BYTES))
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
    rows.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(ROW_BYTES * 3 - 1)}  ${text}`)
  }
  return rows.join('\n')
}
