import { AlarmClockOff, Check } from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmId, AlarmView } from '#alarms/alarm.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useWall, useWallNow } from '#react/ticking.tsx'
import { useSay } from '#react/toasts.ts'
import { useAlarms, useConfiguration } from '#react/use-fleet.ts'
import { useSignedIn } from '#react/use-signed-in.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Segmented } from '#ui/choices.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { whatOf } from './alarm-subject.ts'
import { needsAcknowledgement } from './alarm-words.ts'
import { SaveRow } from './save.tsx'
import { SingleKeyHint } from './single-key-hint.tsx'

const words = alarmTexts.done

/** Mutes always end automatically. */
const MUTE_MS = 900_000

/**
 * Operator actions on alarms. Each confirms its result, and offers undo where that is safe. An action reaches the engine at
 * once, so that it counts even if the tab closes; it carries the name of the signed-in account once that is known.
 */
export function useAlarmActs() {
  const { engine, fleet, metrics, nowMs } = useDashboard()
  const by = useSignedIn()?.name
  const zone = useConfiguration().settings.display.timeZone
  const say = useSay()
  const announce = useAnnounce()
  return useMemo(() => {
    const wallNow = (): number => fleet.get().wallMs + (nowMs() - fleet.get().nowMs)
    const tell = (text: string, undo?: () => void): void => {
      announce(text)
      say(text, undo)
    }
    const act = async (done: AlarmAct, text: string, back?: AlarmAct): Promise<void> => {
      const worked = await engine.alarmAct({ ...done, ...(by !== undefined && { by }) }).catch(() => false)
      if (!worked) return tell(words.failed)
      tell(text, back === undefined ? undefined : () => void act(back, words.undone))
    }
    const what = (alarm: AlarmView): string => whatOf(alarm, fleet.get(), metrics)
    const acknowledged = (alarms: readonly AlarmView[]): string => {
      const [only] = alarms.length === 1 ? alarms : []
      return only === undefined ? words.acknowledgedMany(alarms.length) : words.acknowledged(what(only))
    }
    const at = (wallMs: number): string => formatMoment(wallMs, wallNow(), zone)
    const shelve = (
      ids: readonly AlarmId[],
      forMs: number,
      reason: string,
      done: (until: string) => string,
    ): void => {
      const untilWallMs = wallNow() + forMs
      void act({ act: 'shelve', ids, untilWallMs, reason }, done(at(untilWallMs)), { act: 'unshelve', ids })
    }
    return {
      acknowledge: (alarms: readonly AlarmView[], note?: string): void => {
        if (alarms.length === 0) return
        const ids = idsOf(alarms)
        void act(
          { act: 'acknowledge', ids, ...(note !== undefined && note !== '' && { note }) },
          acknowledged(alarms),
          { act: 'unacknowledge', ids },
        )
      },
      unacknowledge: (alarm: AlarmView): void =>
        void act({ act: 'unacknowledge', ids: [alarm.id] }, words.unacknowledged(what(alarm))),
      /** `forMs` is the time without notifications. */
      shelve: (alarm: AlarmView, forMs: number, reason: string): void =>
        shelve([alarm.id], forMs, reason, (until) => words.shelved(what(alarm), until)),
      shelveMany: (ids: readonly AlarmId[], forMs: number, reason: string): void =>
        shelve(ids, forMs, reason, (until) => words.shelvedMany(ids.length, until)),
      unshelve: (alarm: AlarmView): void => {
        const { shelved } = alarm
        const back = shelved && {
          act: 'shelve' as const,
          ids: [alarm.id],
          untilWallMs: shelved.untilWallMs,
          reason: shelved.reason,
        }
        void act({ act: 'unshelve', ids: [alarm.id] }, words.unshelved(what(alarm)), back)
      },
      // No undo: a cleared alarm leaves the lists for good.
      acknowledgeEnd: (alarms: readonly AlarmView[]): void => {
        if (alarms.length > 0) void act({ act: 'acknowledge-end', ids: idsOf(alarms) }, acknowledged(alarms))
      },
      mute: (): void => {
        const untilWallMs = wallNow() + MUTE_MS
        void act({ act: 'mute', untilWallMs }, words.muted(at(untilWallMs)), { act: 'unmute' })
      },
      unmute: (): void => void act({ act: 'unmute' }, words.unmuted),
    }
  }, [engine, fleet, metrics, nowMs, by, zone, say, announce])
}

export type AlarmActs = ReturnType<typeof useShelvingActs>['acts']

/** The actions with one that asks for how long and why to shelve an alarm, in `dialog`. */
export function useShelvingActs() {
  const alarmActs = useAlarmActs()
  const { fleet, metrics } = useDashboard()
  const [asked, setAsked] = useState<AlarmView>()
  const acts = useMemo(() => ({ ...alarmActs, askToShelve: setAsked }), [alarmActs])
  const close = (): void => setAsked(undefined)
  return {
    acts,
    dialog: (
      <Dialog
        open={asked !== undefined}
        title={asked === undefined ? '' : shelf.title(whatOf(asked, fleet.get(), metrics))}
        closeLabel={alarmTexts.act.close}
        onClose={close}
      >
        {asked !== undefined && (
          <ShelfForm
            onShelve={(forMs, reason) => {
              acts.shelve(asked, forMs, reason)
              close()
            }}
            onCancel={close}
          />
        )}
      </Dialog>
    ),
  }
}

const shelf = alarmTexts.shelf

/** In seconds. Shelving always ends, after a day at the latest. */
const SPANS = ['900', '3600', '14400', '28800', '86400'] as const
type Span = (typeof SPANS)[number]

export const NOTE_CHARS_MAX = 500

type ShelfFormProps = {
  readonly onShelve: (forMs: number, reason: string) => void
  readonly onCancel: () => void
}

export function ShelfForm({ onShelve, onCancel }: ShelfFormProps) {
  const [span, setSpan] = useState<Span>('3600')
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const zone = useConfiguration().settings.display.timeZone
  const nowMs = useWallNow()
  const forMs = Number(span) * 1_000
  const submit = (): void => {
    setTried(true)
    if (reason.trim() !== '') onShelve(forMs, reason.trim())
  }
  return (
    <Form onSubmit={submit}>
      <Segmented
        legend={shelf.legend}
        value={span}
        options={SPANS.map((value) => ({ value, label: shelf.spans[value] }))}
        onChange={setSpan}
      />
      <TextField
        label={shelf.reason}
        hint={shelf.reasonHint}
        value={reason}
        maxLength={NOTE_CHARS_MAX}
        onChange={setReason}
        error={tried && reason.trim() === '' && shelf.reasonWanted}
      />
      {nowMs !== undefined && (
        <p className="text-12 ink-3">{shelf.until(formatMoment(nowMs + forMs, nowMs, zone))}</p>
      )}
      <SaveRow label={shelf.confirm} onCancel={onCancel} />
    </Form>
  )
}

type AlarmButtonsProps = {
  readonly alarm: AlarmView
  readonly acts: AlarmActs
  readonly look: 'row' | 'message' | 'bar' | 'panel'
  readonly hasKeys?: boolean
  readonly onNote?: () => void
  readonly children?: ReactNode
}

export function AlarmButtons(props: AlarmButtonsProps) {
  const { alarm, acts, look, hasKeys = false, onNote, children } = props
  const labels = alarmTexts.act
  const isCleared = alarm.phase === 'cleared'
  const size = look === 'panel' ? 'medium' : 'small'
  const keyHint = (key: string): ReactNode =>
    hasKeys && (
      <>
        {' '}
        <SingleKeyHint>{key}</SingleKeyHint>
      </>
    )
  const main = { size, look: look === 'bar' || look === 'panel' ? 'primary' : 'plain' } as const
  return (
    <>
      {needsAcknowledgement(alarm) && (
        <Button {...main} onClick={() => acts.acknowledge([alarm])}>
          {labels.acknowledge}
          {keyHint('A')}
        </Button>
      )}
      {needsAcknowledgement(alarm) && onNote !== undefined && (
        <Button onClick={onNote}>{labels.acknowledgeNote}</Button>
      )}
      {look === 'panel' && alarm.acknowledged !== undefined && !isCleared && (
        <Button onClick={() => acts.unacknowledge(alarm)}>{labels.unacknowledge}</Button>
      )}
      {isCleared && (
        <Button
          {...main}
          icon={look === 'row' ? Check : undefined}
          onClick={() => acts.acknowledgeEnd([alarm])}
        >
          {labels.see}
        </Button>
      )}
      {alarm.shelved !== undefined ? (
        <Button size={size} onClick={() => acts.unshelve(alarm)}>
          {labels.unshelve}
        </Button>
      ) : isCleared ? null : look === 'row' ? (
        <IconButton
          small
          label={labels.shelve}
          icon={AlarmClockOff}
          onClick={() => acts.askToShelve(alarm)}
        />
      ) : (
        <Button size={size} onClick={() => acts.askToShelve(alarm)}>
          {labels.shelve}
          {keyHint('S')}
        </Button>
      )}
      {children}
    </>
  )
}

export function useMutedUntil(): string | undefined {
  const untilMs = useAlarms((view) => view?.mutedUntilWallMs)
  const zone = useConfiguration().settings.display.timeZone
  return useWall((nowMs) =>
    untilMs !== undefined && untilMs > nowMs ? formatMoment(untilMs, nowMs, zone) : undefined,
  )
}

const idsOf = (alarms: readonly AlarmView[]): readonly AlarmId[] => alarms.map(({ id }) => id)
