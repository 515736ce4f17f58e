import { useState } from 'react'
import { PING_EVERY_DEFAULT_MS, type ChannelReceiver } from '#alarms/channels.ts'
import type { OfferedReceiver } from '#settings/receiver.ts'
import type { Notifier } from '#react/notifier.ts'
import { useReceivers } from '#react/use-receivers.ts'
import { useServerWatch } from '#react/use-server-watch.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { receiverKindName } from '#texts/en-receivers.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { DeliveryStatus, ReceiverCard, ReceiverTest } from './receiver-card.tsx'
import { ReceiverForm } from './receiver-form.tsx'
import type { Edited } from './use-receiver-draft.ts'

const words = channelTexts.receivers

export function ReceiversPanel({ notifier }: { readonly notifier: Notifier }) {
  const { channels, save, deliveries } = notifier
  const { offered, isThere, canAdd, add, remove } = useReceivers()
  /** The id of a receiver, or 'new'. */
  const [editing, setEditing] = useState<string>()
  const ofServer = offered.filter(({ from }) => from === 'watch')
  const sendTo = channels.sendTo.filter(({ id }) => !ofServer.some((other) => other.id === id))
  const use = saverOf(notifier)
  const editedOf = (sending: ChannelReceiver): Edited | undefined => {
    const mine = offered.find(({ id, from }) => id === sending.id && from === 'added')
    return mine && { offered: mine, sending }
  }
  const form = (edited?: Edited) => (
    <ReceiverForm
      key={editing}
      hasServer={isThere === true}
      edited={edited}
      add={add}
      onAdded={(receiver) => {
        use(receiver, edited?.sending.id)
        setEditing(undefined)
      }}
      onCancel={() => setEditing(undefined)}
    />
  )
  const unused = offered.filter(({ id, from }) => from !== 'watch' && !sendTo.some((used) => used.id === id))
  const stop = ({ id }: ChannelReceiver): void => {
    save({ ...channels, sendTo: channels.sendTo.filter((other) => other.id !== id) })
    // Receivers of the server's configuration stay offered.
    if (offered.find((other) => other.id === id)?.from === 'added') remove(id)
  }
  return (
    <Panel title={words.title}>
      <p className="text-12">{words.text}</p>
      <div className="stack">
        {sendTo.length + ofServer.length === 0 && editing === undefined && (
          <Empty title={words.none}>{words.noneText}</Empty>
        )}
        {ofServer.map((receiver) => (
          <OfServer key={receiver.id} receiver={receiver} />
        ))}
        {sendTo.map((receiver) => {
          const edited = editedOf(receiver)
          return edited !== undefined && editing === receiver.id ? (
            form(edited)
          ) : (
            <ReceiverCard
              key={receiver.id}
              receiver={receiver}
              state={deliveries.find(({ id }) => id === receiver.id)}
              onChange={use}
              onEdit={edited && canAdd ? () => setEditing(receiver.id) : undefined}
              onRemove={() => stop(receiver)}
            />
          )
        })}
        {unused.map((receiver) => (
          <Offered key={receiver.id} receiver={receiver} onUse={() => use(sendingTo(receiver))} />
        ))}
        {editing === 'new' ? (
          form()
        ) : (
          <AddRow isOff={isThere === true && !canAdd} onAdd={() => setEditing('new')} />
        )}
      </div>
    </Panel>
  )
}

const AddRow = ({ isOff, onAdd }: { readonly isOff: boolean; readonly onAdd: () => void }) => (
  <div className="flow">
    {isOff ? (
      <span className="text-12 ink-3">{words.addingOff}</span>
    ) : (
      <Button size="small" onClick={onAdd}>
        {words.add}
      </Button>
    )}
  </div>
)

/** `replaced`: the id that the receiver had before. */
const saverOf =
  ({ channels, save }: Pick<Notifier, 'channels' | 'save'>) =>
  (receiver: ChannelReceiver, replaced = receiver.id): void => {
    const { sendTo } = channels
    save({
      ...channels,
      sendTo: sendTo.some(({ id }) => id === replaced)
        ? sendTo.map((other) => (other.id === replaced ? receiver : other))
        : [...sendTo, receiver],
    })
  }

/** A receiver to which the server’s watch sends, so that browsers send only tests. */
function OfServer({ receiver }: { readonly receiver: OfferedReceiver }) {
  const states = useServerWatch()?.report?.receivers
  const name = toVisibleText(nameOf(receiver))
  return (
    <Panel title={name} note={receiverKindName(receiver.kind)}>
      <Properties
        items={[
          property(words.via, words.byWatch),
          property(
            channelTexts.sound.state,
            <DeliveryStatus state={states?.find(({ id }) => id === receiver.id)?.state} />,
          ),
        ]}
      />
      <ReceiverTest id={receiver.id} name={name} />
    </Panel>
  )
}

const Offered = ({ receiver, onUse }: { readonly receiver: OfferedReceiver; readonly onUse: () => void }) => (
  <div className="flow">
    <span className="text-12">
      {receiverKindName(receiver.kind)}. {words.offered(nameOf(receiver))}
    </span>
    <Button size="small" onClick={onUse}>
      {words.use}
    </Button>
  </div>
)

const nameOf = ({ name, host, kind }: OfferedReceiver): string =>
  name ?? (host === '' ? receiverKindName(kind) : host)

const sendingTo = (receiver: OfferedReceiver): ChannelReceiver => ({
  id: receiver.id,
  kind: receiver.kind,
  via: receiver.via,
  name: nameOf(receiver),
  ...(receiver.url !== undefined && { url: receiver.url }),
  from: 'warning',
  everyMs: PING_EVERY_DEFAULT_MS,
  silences: false,
  screenAlarms: false,
})
