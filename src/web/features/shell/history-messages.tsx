import { useState } from 'react'
import type { HistoryStatus } from '#history/history-status.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { historyTexts as words } from '#texts/en-history.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Banner } from '#ui/banner.tsx'
import { Button, LinkButton } from '#ui/button.tsx'

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
        <Banner
          level="warning"
          title={words.notKept(when(notKeptSinceMs))}
          actions={
            <LinkButton size="small" href={hrefOf(`${PATHS.settings}/storage`)}>
              {words.openSettings}
            </LinkButton>
          }
        >
          {words.why[failure]} {words.notKeptText}
        </Banner>
      )}
      {lost !== undefined && lost.noticedMs !== seenMs && (
        <Banner
          level="warning"
          title={words.lost}
          actions={
            <Button size="small" onClick={() => setSeenMs(lost.noticedMs)}>
              {words.dismiss}
            </Button>
          }
        >
          {words.lostText(when(lost.lastMs))}
        </Banner>
      )}
      {hasOlder && <OlderHistory />}
      {cutOff !== undefined && cutOff.noticedMs !== seenCutOffMs && (
        <Banner
          level="warning"
          title={words.cutOff[cutOff.what].title}
          actions={
            <>
              <LinkButton size="small" href={hrefOf(`${PATHS.settings}/document`)}>
                {words.openSettings}
              </LinkButton>
              <Button size="small" onClick={() => setSeenCutOffMs(cutOff.noticedMs)}>
                {words.dismiss}
              </Button>
            </>
          }
        >
          {words.cutOff[cutOff.what].text}
        </Banner>
      )}
    </>
  )
}

/** Reports history of an earlier version, which stays until a person deletes it. */
function OlderHistory() {
  const { engine } = useDashboard()
  const remove = (): void => void engine.transfer({ what: 'remove-older' }, () => Promise.resolve(true))
  return (
    <Banner
      level="info"
      title={words.older}
      actions={
        <Button size="small" onClick={remove}>
          {words.removeOlder}
        </Button>
      }
    >
      {words.olderText}
    </Banner>
  )
}
