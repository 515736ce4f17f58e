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
import { Glyph } from '#ui/glyph.tsx'
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
        <ol className="event-list text-12" aria-label={words.list}>
          {entries.slice(0, SHOWN_MAX).map((entry) => {
            const { title, level } = eventWords(entry, { zone, nowMs, metrics })
            const isSevere = level === 'critical' || level === 'warning' || level === 'info'
            return (
              <li key={entry.id}>
                <span className="ink-3">
                  <Moment wallMs={entry.wallMs} />
                </span>
                {level === undefined ? (
                  <i className="event-list-dot" aria-hidden />
                ) : (
                  <Glyph kind={level} label={isSevere ? levelWords[level] : ''} />
                )}
                <bdi className="ink-1 wrap-anywhere">{title}</bdi>
              </li>
            )
          })}
        </ol>
      )}
      <Disclosure summary={words.write}>
        <NoteForm about={{ nodeKey: node.key, serviceId: node.serviceId }} zone={zone} />
      </Disclosure>
    </Panel>
  )
}
