import { useState } from 'react'
import type { ChannelReceiver } from '#alarms/channels.ts'
import { PING_EVERY_DEFAULT_MS } from '#alarms/channels.ts'
import type { OfferedReceiver } from '#settings/receiver.ts'
import type { Notifier } from '#react/notifier.ts'
import { useReceivers } from '#react/use-receivers.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { receiverKindName } from '#texts/en-receivers.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { ReceiverCard } from './receiver-card.tsx'
import { ReceiverForm } from './receiver-form.tsx'

const words = channelTexts.receivers

/** To whom this browser sends, how that goes, and what its server offers besides. */
export function ReceiversPanel({ notifier }: { readonly notifier: Notifier }) {
  const { channels, save, deliveries } = notifier
  const { offered, isThere, canAdd, add, remove } = useReceivers()
  const [isAdding, setAdding] = useState(false)
  const { sendTo } = channels
  const unused = offered.filter(({ id }) => !sendTo.some((used) => used.id === id))
  const use = (receiver: ChannelReceiver): void =>
    save({
      ...channels,
      sendTo: sendTo.some(({ id }) => id === receiver.id)
        ? sendTo.map((other) => (other.id === receiver.id ? receiver : other))
        : [...sendTo, receiver],
    })
  const stop = ({ id }: ChannelReceiver): void => {
    save({ ...channels, sendTo: sendTo.filter((other) => other.id !== id) })
    // What the server's own configuration names stays offered.
    if (offered.find((other) => other.id === id)?.from === 'added') remove(id)
  }
  return (
    <Panel title={words.title}>
      <p className="text-12">{words.text}</p>
      <Stack>
        {sendTo.length === 0 && !isAdding && <Empty title={words.none}>{words.noneText}</Empty>}
        {sendTo.map((receiver) => (
          <ReceiverCard
            key={receiver.id}
            receiver={receiver}
            state={deliveries.find(({ id }) => id === receiver.id)}
            onChange={use}
            onRemove={() => stop(receiver)}
          />
        ))}
        {unused.map((receiver) => (
          <Flow key={receiver.id}>
            <span className="text-12">
              {receiverKindName(receiver.kind)}. {words.offered(receiver.name ?? receiver.host)}
            </span>
            <Button size="small" onClick={() => use(sendingTo(receiver))}>
              {words.use}
            </Button>
          </Flow>
        ))}
        {isAdding ? (
          <ReceiverForm
            hasServer={isThere === true}
            add={add}
            onAdded={(receiver) => {
              use(receiver)
              setAdding(false)
            }}
            onCancel={() => setAdding(false)}
          />
        ) : (
          <Flow>
            {isThere === true && !canAdd ? (
              <span className="text-12 ink-3">{words.addingOff}</span>
            ) : (
              <Button size="small" onClick={() => setAdding(true)}>
                {words.add}
              </Button>
            )}
          </Flow>
        )}
      </Stack>
    </Panel>
  )
}

const sendingTo = ({ id, kind, via, name, host, url }: OfferedReceiver): ChannelReceiver => ({
  id,
  kind,
  via,
  name: name ?? host,
  ...(url !== undefined && { url }),
  from: 'warning',
  everyMs: PING_EVERY_DEFAULT_MS,
  silences: false,
  screenAlarms: false,
})
