import { useState } from 'react'
import { copyText } from '#react/copy-text.ts'
import { messageTexts as words } from '#texts/en-messages.ts'
import { Button } from '#ui/button.tsx'
import { useAnnounce } from '#ui/live-region.tsx'

type CopyMadeProps = {
  readonly text: string | (() => Promise<string>)
  readonly label: string
  readonly look: 'primary' | 'plain'
}

export function CopyMade({ text, label, look }: CopyMadeProps) {
  const announce = useAnnounce()
  const [said, setSaid] = useState<string>()
  const copy = async (): Promise<void> => {
    const copied = await made(text).then(copyText, () => false)
    const result = copied ? words.copied : words.copyFailed
    setSaid(result)
    announce(result)
  }
  return (
    <Button size="small" look={look} onClick={() => void copy()} onBlur={() => setSaid(undefined)}>
      {said ?? label}
    </Button>
  )
}

const made = async (text: CopyMadeProps['text']): Promise<string> =>
  typeof text === 'string' ? text : text()
