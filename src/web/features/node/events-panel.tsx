import { useMemo } from 'react'
import { MINUTE_MS } from '#base/time.ts'
import type { EventArea, KeptEntry } from '#history/event-log.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useWall } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { useJournal } from '#react/use-journal.ts'
import { levelWords } from '#texts/en-checks.ts'
import { eventWords } from '#texts/en-events.ts'
import { nodeEventTexts as words } from '#texts/en-node-events.ts'
import { LinkButton } from '#ui/button.tsx'
import { EventList } from '#ui/event-list.tsx'
import { Panel } from '#ui/panel.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'
import { NoteForm } from '#parts/note-form.tsx'
import { Moment } from '#parts/moment.tsx'

const SHOWN_MAX = 12
const AREAS: readonly EventArea[] = ['alarm', 'service', 'watching', 'record', 'operator']
/** Intermediate alarm steps, which only the journal shows. */
const STEPS = ['pending', 'reset', 'recovering', 'timer-restarted'].map((name) => `alarm-${name}`)
const accepts = ({ what }: KeptEntry): boolean => !STEPS.includes(what)

export function EventsPanel({ node }: { readonly node: NodeLive }) {
  const query = useMemo(() => ({ nodeKey: node.key, areas: AREAS }), [node.key])
  const { entries, state } = useJournal(query, accepts)
  const zone = useConfiguration().settings.display.timeZone
  const nowMs = useWall((wallMs) => Math.floor(wallMs / MINUTE_MS) * MINUTE_MS) ?? 0
  const { metrics } = useDashboard()
  return (
    <Panel
      title={words.title}
      actions={
        <LinkButton
          size="small"
          look="subtle"
          href={hrefOf(`${PATHS.journal}?node=${encodeURIComponent(node.key)}`)}
        >
          {words.all}
        </LinkButton>
      }
    >
      {entries.length === 0 ? (
        <p className="text-12 ink-3">
          {state === 'failed' ? words.failed : state === 'reading' ? words.reading : words.none}
        </p>
      ) : (
        <EventList
          label={words.list}
          lines={entries.slice(0, SHOWN_MAX).map((entry) => {
            const { title, level } = eventWords(entry, { zone, nowMs, metrics })
            return {
              id: entry.id,
              time: <Moment wallMs={entry.wallMs} />,
              kind: level,
              kindLabel:
                level === 'critical' || level === 'warning' || level === 'info' ? levelWords[level] : '',
              text: title,
            }
          })}
        />
      )}
      <Disclosure summary={words.write}>
        <NoteForm about={{ nodeKey: node.key, serviceId: node.serviceId }} zone={zone} />
      </Disclosure>
    </Panel>
  )
}
