import { useMemo, useState } from 'react'
import { DAY_MS } from '#base/time.ts'
import type { AlarmsView, AlarmView } from '#alarms/alarm.ts'
import { episodesOf } from '#alarms/statistics.ts'
import type { EventArea } from '#history/event-log.ts'
import { nodeHref, onlyNodeOf, subjectOf } from '#parts/alarm-subject.ts'
import { AlarmButtons, NOTE_CHARS_MAX, type AlarmActs } from '#parts/alarm-acts.tsx'
import { lastingMs, remarksOn, titleOf } from '#parts/alarm-words.ts'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { SaveRow } from '#parts/save.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf } from '#react/routes.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { usePastEvents } from '#react/use-past-events.ts'
import { alarmHelp } from '#texts/en-alarm-help.ts'
import { alarmLimit, alarmTexts, alarmValue } from '#texts/en-alarms.ts'
import { formatAge } from '#texts/format.ts'
import { nodeNameIn } from '#texts/names.ts'
import { LinkButton } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Figures } from '#ui/figure.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { SidePanel } from '#ui/side-panel.tsx'
import { MiniStrip } from '#ui/strips.tsx'
import { TextField } from '#ui/text-field.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { Mark } from './alarm-columns.tsx'
import { DetailChart } from './detail-chart.tsx'
import { Members } from './members.tsx'

const words = alarmTexts.detail

type AlarmDetailProps = {
  /** Undefined once the alarm is on no list. */
  readonly alarm: AlarmView | undefined
  readonly view: AlarmsView
  readonly acts: AlarmActs
  readonly onClose: () => void
}

export function AlarmDetail({ alarm, view, acts, onClose }: AlarmDetailProps) {
  const { metrics } = useDashboard()
  return (
    <SidePanel
      title={alarm === undefined ? words.gone.title : titleOf(alarm, metrics)}
      icon={alarm && <Mark alarm={alarm} />}
      closeLabel={alarmTexts.act.close}
      onClose={onClose}
    >
      {alarm === undefined ? (
        <Empty title={words.gone.title}>{words.gone.text}</Empty>
      ) : (
        <Content alarm={alarm} view={view} acts={acts} />
      )}
    </SidePanel>
  )
}

type ContentProps = Omit<AlarmDetailProps, 'alarm' | 'onClose'> & { readonly alarm: AlarmView }

function Content({ alarm, view, acts }: ContentProps) {
  const fleet = useFleet((snapshot) => snapshot)
  const { nodes, subject } = alarm
  // For an alarm of many nodes, the first node serves as an example and is labelled as one.
  const shown = onlyNodeOf(alarm) ?? alarm.members[0]?.node ?? nodes[0]
  return (
    <>
      <Head alarm={alarm} subject={subjectOf(alarm, fleet)} view={view} />
      {shown !== undefined && (
        <PartBoundary>
          <DetailChart alarm={alarm} node={shown} nodeName={nodeNameIn(fleet, shown)} />
        </PartBoundary>
      )}
      <Meaning alarm={alarm} />
      <Acts alarm={alarm} acts={acts} />
      {(alarm.memberCount > 1 || alarm.nodeCount > 1) && <Members alarm={alarm} fleet={fleet} />}
      <PartBoundary>
        <History alarm={alarm} />
      </PartBoundary>
      <p className="text-12">
        <a
          className="link"
          href={hrefOf(
            subject.kind === 'node'
              ? `/journal?node=${subject.node}&kind=alarm,operator`
              : '/journal?kind=alarm,operator',
          )}
        >
          {alarmTexts.act.inJournal}
        </a>
      </p>
    </>
  )
}

type HeadProps = { readonly alarm: AlarmView; readonly subject: string; readonly view: AlarmsView }

function Head({ alarm, subject, view }: HeadProps) {
  const { metrics } = useDashboard()
  const zone = useConfiguration().settings.display.timeZone
  const nowMs = useWallNow() ?? alarm.sinceWallMs
  const { kind, value, limit, severity, phase, evidence, inhibitedBy } = alarm
  const by = view.alarms.find(({ id }) => id === inhibitedBy)
  const old = phase === 'cleared' || evidence.state === 'old'
  const remarks = remarksOn(alarm, { zone, nowMs, explainedBy: by && titleOf(by, metrics) })
  const shown = alarmValue(kind, value, metrics)
  const limited = alarmLimit(kind, limit, metrics)
  return (
    <>
      <Figures
        items={[
          {
            id: 'value',
            label: <VisibleText text={subject} />,
            value: shown === undefined ? words.noValue : <bdi>{shown}</bdi>,
            level: old ? undefined : severity,
            old,
          },
          ...(limited === undefined ? [] : [{ id: 'limit', label: words.limit, value: limited }]),
          {
            id: 'lasting',
            label: phase === 'cleared' ? words.lasted : words.lasting,
            value: formatAge(lastingMs(alarm, nowMs)),
          },
        ]}
      />
      {remarks !== '' && (
        <p className="text-12">
          <bdi>{remarks}</bdi>
        </p>
      )}
    </>
  )
}

function Meaning({ alarm: { kind, todo } }: { readonly alarm: AlarmView }) {
  const { metrics } = useDashboard()
  const { meaning, steps } = alarmHelp(kind, metrics)
  return (
    <>
      <section>
        <h3>{words.meaning}</h3>
        <p>{meaning}</p>
      </section>
      {todo !== undefined && (
        <section>
          <h3>{words.own}</h3>
          <p className="ink-1">
            <VisibleText text={todo} />
          </p>
        </section>
      )}
      <section id="what-to-do" tabIndex={-1}>
        <h3>{words.steps}</h3>
        <ol>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
    </>
  )
}

function Acts({ alarm, acts }: Omit<ContentProps, 'view'>) {
  // Undefined while no note is being edited.
  const [note, setNote] = useState<string>()
  const node = onlyNodeOf(alarm)
  const close = (): void => setNote(undefined)
  if (note !== undefined)
    return (
      <Form
        onSubmit={() => {
          acts.acknowledge([alarm], note.trim())
          close()
        }}
      >
        <TextField
          label={alarmTexts.note.label}
          value={note}
          onChange={setNote}
          rows={2}
          maxLength={NOTE_CHARS_MAX}
        />
        <SaveRow label={alarmTexts.note.confirm} onCancel={close} />
      </Form>
    )
  return (
    <div className="flow">
      <AlarmButtons alarm={alarm} acts={acts} look="panel" hasKeys onNote={() => setNote('')}>
        {node !== undefined && (
          <LinkButton look="quiet" href={`${nodeHref(node)}?range=1h`}>
            {alarmTexts.act.openNode}
          </LinkButton>
        )}
      </AlarmButtons>
    </div>
  )
}

const AREAS: readonly EventArea[] = ['alarm']
const MONTH_MS = 30 * DAY_MS

/** When the alarm was active in the last 30 days, according to the journal. */
function History({ alarm }: { readonly alarm: AlarmView }) {
  const { id, subject, severity } = alarm
  const nodeKey = subject.kind === 'node' && alarm.memberCount <= 1 ? subject.node : undefined
  const past = usePastEvents({ areas: AREAS, lengthMs: MONTH_MS, nodeKey })
  const nowMs = useWallNow()
  const episodes = useMemo(
    () => (past === undefined ? undefined : episodesOf(past.entries).filter((each) => each.alarm === id)),
    [past, id],
  )
  if (episodes === undefined || nowMs === undefined) return null
  const lasted = episodes.map(({ fromMs, toMs }) => (toMs ?? nowMs) - fromMs)
  const summary =
    episodes.length === 0
      ? words.neverBefore
      : words.timesBefore(episodes.length, formatAge(Math.max(...lasted)))
  return (
    <section>
      <h3>{words.history}</h3>
      <MiniStrip
        fromMs={nowMs - MONTH_MS}
        toMs={nowMs}
        spans={episodes.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? nowMs, level: severity }))}
        label={summary}
      />
      <p className="text-12 ink-3">{summary}</p>
    </section>
  )
}
