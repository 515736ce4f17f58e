import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { copyText } from '#react/copy-text.ts'
import { useLinkWith, useSearchParams } from '#react/location.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatSpan } from '#texts/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-line.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { StretchDialog } from './stretch-dialog.tsx'
import { addressWith, following, held, ranged, rangeOf, RANGES, stepped, type Range } from './time-view.ts'
import type { TimeControl } from './use-time-view.ts'

const words = nodeHistoryTexts.range

type TimeControlsProps = { readonly time: TimeControl; readonly children?: ReactNode }

export function TimeControls({ time, children }: TimeControlsProps) {
  const { view, window, nowMs, show } = time
  const [choosing, setChoosing] = useState(false)
  const live = view.kind === 'live'
  const shown = rangeOf(view, window)
  const spanMs = window.toMs - window.fromMs
  return (
    <div className="flow">
      <SelectField<Range | 'shown' | 'dates'>
        label={words.legend}
        hideLabel
        value={shown ?? 'shown'}
        options={[
          ...RANGES.map((range) => ({ value: range, label: words.names[range] })),
          ...(shown === undefined ? [{ value: 'shown', label: formatSpan(spanMs) } as const] : []),
          { value: 'dates', label: words.dates },
        ]}
        onChange={(next) => {
          if (next === 'dates') setChoosing(true)
          else if (next !== 'shown') show(ranged(view, next, window, nowMs))
        }}
      />
      <IconButton
        label={words.earlier}
        icon={ChevronLeft}
        onClick={() => show(stepped(view, -1, window, nowMs))}
      />
      <Button
        look={live ? 'subtle' : 'primary'}
        title={live ? words.pause : words.goLive}
        icon={live ? Play : Pause}
        onClick={() => show(live ? held(view, window) : following(view))}
      >
        {live ? words.live : words.paused}
      </Button>
      <IconButton
        label={words.later}
        icon={ChevronRight}
        disabled={live}
        onClick={() => show(stepped(view, 1, window, nowMs))}
      />
      <CopyButton
        text={useLinkWith(addressWith(useSearchParams()[0], held(view, window)))}
        label={words.copyLink}
        copiedText={words.linkCopied}
        failedText={words.linkFailed}
        copy={copyText}
      >
        {words.link}
      </CopyButton>
      {children}
      {!window.whole && <span className="text-12 ink-3">{words.recorded(formatSpan(spanMs))}</span>}
      <StretchDialog
        open={choosing}
        window={window}
        nowMs={nowMs}
        onClose={() => setChoosing(false)}
        onChoose={(fromMs, toMs) => {
          setChoosing(false)
          show({ kind: 'still', range: view.range, fromMs, toMs }, 'keep')
        }}
      />
    </div>
  )
}
