import { useState } from 'react'
import type { HistoryStatus } from '#history/history-status.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { historyTexts as words } from '#texts/en-history.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Message } from './message.tsx'

export function HistoryMessages({ status }: { readonly status: HistoryStatus }) {
  const zone = useConfiguration().settings.display.timeZone
  const { fleet } = useDashboard()
  const { state, failure, notKeptSinceMs, lost, cutOff, hasOlder } = status
  const [seenMs, setSeenMs] = useState<number>()
  const [seenCutOffMs, setSeenCutOffMs] = useState<number>()
  const when = (atMs: number): string => formatMoment(atMs, fleet.get().wallMs, zone)
  return (
    <>
      {state === 'not-kept' && failure !== undefined && notKeptSinceMs !== undefined && (
        <Message title={words.notKept(when(notKeptSinceMs))} acts={[[words.openSettings, 'storage']]}>
          {words.why[failure]} {words.notKeptText}
        </Message>
      )}
      {lost !== undefined && lost.noticedMs !== seenMs && (
        <Message title={words.lost} acts={[[words.dismiss, () => setSeenMs(lost.noticedMs)]]}>
          {words.lostText(when(lost.lastMs))}
        </Message>
      )}
      {hasOlder && <OlderHistory />}
      {cutOff !== undefined && cutOff.noticedMs !== seenCutOffMs && (
        <Message
          title={words.cutOff[cutOff.what].title}
          acts={[
            [words.openSettings, 'document'],
            [words.dismiss, () => setSeenCutOffMs(cutOff.noticedMs)],
          ]}
        >
          {words.cutOff[cutOff.what].text}
        </Message>
      )}
    </>
  )
}

/** Reports history of an earlier version, which stays until a person deletes it. */
function OlderHistory() {
  const { engine } = useDashboard()
  const remove = (): void => void engine.transfer({ what: 'remove-older' }, () => Promise.resolve(true))
  return (
    <Message level="info" title={words.older} acts={[[words.removeOlder, remove]]}>
      {words.olderText}
    </Message>
  )
}
