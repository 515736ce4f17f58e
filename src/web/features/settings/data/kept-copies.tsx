import { useState } from 'react'
import { keptCopies, removeCopy } from '#react/kept-settings.ts'
import { saveFile } from '#react/save-file.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { documentTexts as words } from '#texts/en-rules.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formatFullTime } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'

/** Documents that could not be taken over as they were; nothing while there are none. */
export function KeptCopies() {
  useConfiguration() // a copy is only made when settings are read
  const [, setRemoved] = useState(0)
  const copies = keptCopies()
  if (copies.length === 0) return null
  return (
    <Panel title={words.copies}>
      <p className="t12 ink3">{words.copiesText}</p>
      <Properties
        items={copies.map(({ atMs, text }) => ({
          id: String(atMs),
          label: atMs === 0 ? words.copyEarlier : (formatFullTime(atMs).split('\n')[0] ?? ''),
          value: (
            <Flow>
              <span>{words.copyOf(text.length)}</span>
              <Button size="small" onClick={() => saveFile(words.copyName, text)}>
                {words.download}
              </Button>
              <Button
                size="small"
                look="subtle"
                onClick={() => {
                  removeCopy(atMs)
                  setRemoved((count) => count + 1)
                }}
              >
                {settingsTexts.remove}
              </Button>
            </Flow>
          ),
        }))}
      />
    </Panel>
  )
}
