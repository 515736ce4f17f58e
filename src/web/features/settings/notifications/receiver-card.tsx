import type { ReactNode } from 'react'
import { MINUTE_MS } from '#base/time.ts'
import type { ChannelReceiver } from '#alarms/channels.ts'
import type { DeliveryState } from '#delivery/delivery-queue.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { Routing } from '#receivers/routing.ts'
import { receiverTraits } from '#settings/receiver-traits.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { useReceiverTest } from '#react/use-receivers.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { receiverKindName } from '#texts/en-receivers.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { fromRow, switchRow } from './channel-level.ts'
import { RoutingFields, ServiceRoutes } from './routing-fields.tsx'
import { joined } from '#texts/format.ts'

const words = channelTexts.receivers

type ReceiverCardProps = {
  readonly receiver: ChannelReceiver
  /** Undefined: not known yet. */
  readonly state: DeliveryState | undefined
  readonly onChange: (receiver: ChannelReceiver) => void
  /** Absent: this browser may not change it. */
  readonly onEdit: (() => void) | undefined
  readonly onRemove: () => void
}

export function ReceiverCard({ receiver, state, onChange, onEdit, onRemove }: ReceiverCardProps) {
  const { hasInterval, hasSeverity, hasSilences } = receiverTraits(receiver.kind)
  const { services } = useConfiguration().effective
  const routes = {
    routing: receiver.routing,
    onChange: (routing: Routing): void => onChange({ ...receiver, routing }),
  }
  return (
    <Panel title={toVisibleText(receiver.name)} note={receiverKindName(receiver.kind)}>
      <Properties
        items={[
          property(words.via, words.vias[receiver.via]),
          hasInterval && property(words.every, words.minutes(receiver.everyMs / MINUTE_MS)),
          hasSeverity && fromRow(receiver.from, (from) => onChange({ ...receiver, from })),
          hasSeverity &&
            (services.length > 1 || receiver.routing?.services !== undefined) &&
            property(words.routing.services, <ServiceRoutes {...routes} />),
          hasSeverity &&
            switchRow(words.screenAlarms, receiver.screenAlarms, (screenAlarms) =>
              onChange({ ...receiver, screenAlarms }),
            ),
          hasSilences &&
            switchRow(words.silences, receiver.silences, (silences) => onChange({ ...receiver, silences })),
          property(channelTexts.sound.state, <DeliveryStatus state={state} />),
        ]}
      />
      {hasSeverity && <RoutingFields {...routes} hasTimes={!hasSilences} />}
      {hasSeverity && <p className="text-12 ink-3">{words.screenAlarms.hint}</p>}
      {hasSilences && <p className="text-12 ink-3">{words.silences.hint}</p>}
      <ReceiverActs {...{ receiver, state, onEdit, onRemove }} />
      {hasSilences && <p className="text-12 ink-3">{words.removeHint}</p>}
    </Panel>
  )
}

function ReceiverActs({ receiver, state, onEdit, onRemove }: Omit<ReceiverCardProps, 'onChange'>) {
  const { engine } = useDashboard()
  const name = toVisibleText(receiver.name)
  return (
    <ReceiverTest id={receiver.id} name={name}>
      {state?.failure !== undefined && (
        <Button size="small" onClick={() => void engine.tryReceiver(receiver.id)}>
          {words.tryNow}
        </Button>
      )}
      {onEdit !== undefined && (
        <Button size="small" aria-label={words.editOf(name)} onClick={onEdit}>
          {words.edit}
        </Button>
      )}
      <Button size="small" look="subtle" aria-label={words.removeOf(name)} onClick={onRemove}>
        {words.remove}
      </Button>
    </ReceiverTest>
  )
}

type ReceiverTestProps = { readonly id: string; readonly name: string; readonly children?: ReactNode }

/** Sends a test and shows the receiver's own answer. `children`: further buttons in its row. */
export function ReceiverTest({ id, name, children }: ReceiverTestProps) {
  const { send, isUnderWay, answer } = useReceiverTest(id)
  return (
    <>
      <div className="flow">
        <Button size="small" aria-label={words.testOf(name)} disabled={isUnderWay} onClick={send}>
          {words.test}
        </Button>
        {children}
      </div>
      <TestAnswer isUnderWay={isUnderWay} answer={answer} />
    </>
  )
}

type TestAnswerProps = Pick<ReturnType<typeof useReceiverTest>, 'isUnderWay' | 'answer'>

const TestAnswer = ({ isUnderWay, answer }: TestAnswerProps) => (
  <output className="text-12 ink-1">
    {isUnderWay && words.testing}
    {answer !== undefined &&
      (answer.ok
        ? words.tookTest(answer.value.status, answer.value.answer)
        : words.testFailed(words.failure(answer.error)))}
  </output>
)

export function DeliveryStatus({ state }: { readonly state: DeliveryState | undefined }) {
  const zone = useConfiguration().settings.display.timeZone
  const nowMs = useWallNow()
  if (state === undefined || nowMs === undefined) return words.state.unknown
  const at = (wallMs: number): string => formatMoment(wallMs, nowMs, zone)
  const { failure, failingSinceWallMs, nextTryWallMs, lastDeliveredWallMs, lastRefusal } = state
  return joined('; ', [
    lastDeliveredWallMs === undefined ? words.state.idle : words.state.delivered(at(lastDeliveredWallMs)),
    state.waiting > 0 && words.state.waiting(state.waiting),
    failure &&
      failingSinceWallMs !== undefined &&
      words.state.failing(at(failingSinceWallMs), words.failure(failure)),
    nextTryWallMs !== undefined && words.state.next(at(nextTryWallMs)),
    state.lost > 0 && words.state.lost(state.lost),
    lastRefusal && words.state.refused(state.refused, words.failure(lastRefusal)),
  ])
}
