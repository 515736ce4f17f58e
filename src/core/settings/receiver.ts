import * as v from 'valibot'
import { Label } from '#base/schemas.ts'
import { textFingerprint } from '#base/fingerprint.ts'
import { plainUrl } from '#receivers/kind.ts'
import {
  MessageReceiverSchema,
  messageReceiverId,
  whereMessagesGo,
  type MessageReceiver,
} from '#receivers/kinds.ts'
import { SENDING } from '#receivers/sending.ts'
import { WEBHOOK_MEMBERS } from '#receivers/webhook-members.ts'
import { isPlainHost, isPolicyHost } from '#record/service.ts'
import { readBy } from '#record/typed-names.ts'
import {
  RECEIVER_WAYS,
  UNNAMEABLE,
  UNWRITEABLE,
  isAddressKind,
  isMessageKind,
  type AddressKind,
  type ReceiverKind,
} from './receiver-traits.ts'

const RECEIVER_URL_CHARS_MAX = 2_000

/** A receiver's address as typed, with any path and query. A fragment is never sent, so it is removed. */
function addressIn(text: string): string | undefined {
  const url = text.trim().length > RECEIVER_URL_CHARS_MAX ? undefined : plainUrl(text.trim())
  if (url === undefined || !isPlainHost(url.hostname)) return undefined
  url.hash = ''
  return url.href
}

// A bundler leaves these marked calls out of a Worker that reads settings only, but keeps a spread.
const ADDRESS = /* @__PURE__ */ Object.assign(
  {
    url: readBy(
      addressIn,
      'is not the address of a receiver: use http(s)://host[:port]/path, without a user name or password',
    ),
    name: v.optional(Label),
    via: v.optional(v.picklist(RECEIVER_WAYS), 'relay'),
  },
  SENDING,
)

const Webhook = v.strictObject(
  /* @__PURE__ */ Object.assign({ kind: v.literal('webhook') }, ADDRESS, WEBHOOK_MEMBERS),
)
const Plain = v.strictObject(
  /* @__PURE__ */ Object.assign({ kind: v.picklist(['alertmanager', 'ping']) }, ADDRESS),
)
export type AddressReceiver = v.InferOutput<typeof Webhook> | v.InferOutput<typeof Plain>

export const ReceiverSchema = v.pipe(
  v.variant('kind', [Webhook, Plain, MessageReceiverSchema]),
  v.forward(
    v.check((one) => one.via === 'relay' || isPolicyHost(new URL(one.url).hostname), UNNAMEABLE),
    ['via'],
  ),
  v.forward(
    v.check((one) => one.via === 'relay' || !isWrittenByServer(one), UNWRITEABLE),
    ['via'],
  ),
)
export type Receiver = AddressReceiver | MessageReceiver

/** Whether it has an address and needs no rendering. */
export const hasAddress = <T extends { readonly kind: ReceiverKind }>(
  receiver: T,
): receiver is Extract<T, { readonly kind: AddressKind }> => isAddressKind(receiver.kind)

/** Receivers whose requests the server writes; all others get a browser's message as it is. */
export type WrittenReceiver = Exclude<Receiver, { readonly kind: 'alertmanager' | 'ping' }>

export const isWrittenByServer = (receiver: Receiver): receiver is WrittenReceiver =>
  isMessageKind(receiver.kind) ||
  (receiver.kind === 'webhook' && (receiver.secret ?? receiver.template) !== undefined)

export const RECEIVERS_MAX = 16

/** A receiver's id in URLs and stored data, because its address may be a secret. */
export const receiverIdOf = (receiver: Pick<AddressReceiver, 'kind' | 'url'> | MessageReceiver): string =>
  hasAddress(receiver) ? textFingerprint(`${receiver.kind} ${receiver.url}`) : messageReceiverId(receiver)

/** Host and port of its address, or the recipient; '' if only the server knows. */
export const whereOf = (receiver: Receiver): string =>
  hasAddress(receiver) ? new URL(receiver.url).host : whereMessagesGo(receiver)

/** A receiver without its address, as every page of this server may see it. */
export type OfferedReceiver = Pick<Receiver, 'kind' | 'name' | 'via'> & {
  readonly id: string
  /** Host and port or the recipient, so that people can tell receivers apart. */
  readonly host: string
  /** `file`: from the configuration. `watch`: the same, and the server's watch sends to it. `added`: from a browser. */
  readonly from: 'file' | 'watch' | 'added'
  readonly url?: string
  /** Without secrets, for the person who added it. */
  readonly members?: Readonly<Record<string, unknown>>
}
