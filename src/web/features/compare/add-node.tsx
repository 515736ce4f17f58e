import { useMemo, useState } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import { COMPARE_MAX } from '#parts/compare-address.ts'
import { useDashboard } from '#react/dashboard.ts'
import { compareTexts } from '#texts/en-compare.ts'
import { idName } from '#texts/names.ts'
import { ComboBox } from '#ui/combobox.tsx'

const words = compareTexts.add

const SHOWN_MAX = 8
const CHARS_MAX = 200

type AddNodeProps = { readonly keys: readonly NodeKey[]; readonly onAdd: (key: NodeKey) => void }

export function AddNode({ keys, onAdd }: AddNodeProps) {
  const { fleet } = useDashboard()
  const [text, setText] = useState<string>()
  const isFull = keys.length >= COMPARE_MAX
  const found = useMemo(() => {
    if (text === undefined) return []
    const typed = text.trim().toLowerCase()
    const matches = ({ key, name = '', nodeId = '' }: AssessedNode): boolean =>
      !keys.includes(key) && (name.toLowerCase().includes(typed) || nodeId.toLowerCase().includes(typed))
    return Array.from(fleet.get().nodes.values()).filter(matches).slice(0, SHOWN_MAX)
  }, [text, keys, fleet])
  const close = (): void => setText(undefined)
  return (
    <ComboBox
      label={words.label}
      listLabel={words.suggestions}
      placeholder={isFull ? words.full(COMPARE_MAX) : words.placeholder}
      charsMax={CHARS_MAX}
      disabled={isFull}
      value={text ?? ''}
      options={found.map(optionOf)}
      idle="first"
      onType={setText}
      onTake={(index) => {
        const node = found[index]
        close()
        if (node !== undefined) onAdd(node.key)
      }}
      onOpen={() => setText(text ?? '')}
      onEscape={text === undefined ? undefined : close}
      onFocus={() => setText('')}
      onBlur={close}
      problem={!isFull && text !== undefined && found.length === 0 && words.noMatch}
    />
  )
}

function optionOf({ name, nodeId }: AssessedNode): { readonly text: string; readonly note?: string } {
  const id = idName(nodeId)
  return name === undefined ? { text: id } : { text: toVisibleText(name), note: id }
}
