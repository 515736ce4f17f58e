import { err, ok, type Result } from '#base/result.ts'
import type { OfferedReceiver, Receiver } from '#settings/receiver.ts'

const DEADLINE_MS = 10_000
const OPTIONS = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const

/** What the dashboard's own server offers; undefined where there is none, as on a static host. */
export type OfferedReceivers = {
  readonly receivers: readonly OfferedReceiver[]
  readonly canAdd: boolean
  /** The one that was just added. */
  readonly id?: string
}

/** `refused`: the server's own words say why. */
export type ReceiverProblem = { readonly kind: 'no-answer' | 'refused'; readonly answer?: string }

export async function listReceivers(): Promise<OfferedReceivers | undefined> {
  const listed = await asked('/receivers', { method: 'GET' })
  return listed.ok ? listed.value : undefined
}

/** Has the server pass messages on to it, or lets the engine reach it. */
export const addReceiver = (receiver: Receiver): Promise<Result<OfferedReceivers, ReceiverProblem>> =>
  asked('/receivers', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ receiver }),
  })

export const removeReceiver = (id: string): Promise<Result<OfferedReceivers, ReceiverProblem>> =>
  asked(`/receivers?id=${encodeURIComponent(id)}`, { method: 'DELETE' })

async function asked(path: string, init: RequestInit): Promise<Result<OfferedReceivers, ReceiverProblem>> {
  try {
    const response = await fetch(path, { ...OPTIONS, ...init, signal: AbortSignal.timeout(DEADLINE_MS) })
    // A static host may answer any path with its page.
    if (response.headers.get('content-type')?.includes('json') !== true) return err({ kind: 'no-answer' })
    const json: unknown = await response.json()
    if (response.ok && isOffered(json)) return ok(json)
    return err({ kind: 'refused', answer: detailOf(json) })
  } catch {
    return err({ kind: 'no-answer' }) // fetch gives no reason for a failed connection
  }
}

// The dashboard's own server answered, so the shape's own marks are enough.
const isOffered = (json: unknown): json is OfferedReceivers =>
  typeof json === 'object' && json !== null && 'receivers' in json && Array.isArray(json.receivers)

function detailOf(json: unknown): string {
  if (typeof json !== 'object' || json === null) return ''
  const problems: unknown = Reflect.get(json, 'problems')
  const first: unknown = Array.isArray(problems) ? problems[0] : undefined
  const message: unknown =
    typeof first === 'object' && first !== null ? Reflect.get(first, 'message') : undefined
  const detail: unknown = Reflect.get(json, 'detail')
  return typeof message === 'string' ? message : typeof detail === 'string' ? detail : ''
}
