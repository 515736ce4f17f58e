import { useMemo, useState } from 'react'
import { COMPARE_MAX, COMPARE_MIN, nodesIn, nodesText, withNodes } from '#parts/compare-address.ts'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { useSearchParams } from '#react/location.ts'
import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useFleet } from '#react/use-fleet.ts'
import { compareTexts as words } from '#texts/en-compare.ts'
import { LinkButton } from '#ui/button.tsx'
import { Empty, Skeleton } from '#ui/empty.tsx'
import { PageHead } from '#ui/page.tsx'
import { CompareCharts } from './compare-charts.tsx'
import { NowTable } from './now-table.tsx'
import { useSubjects } from './use-subjects.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { useDashboard } from '#react/dashboard.ts'
import { idName } from '#texts/names.ts'
import { ComboBox } from '#ui/combobox.tsx'

export function ComparePage() {
  const [params, setParams] = useSearchParams()
  const text = nodesText(params)
  const all = useMemo(() => nodesIn(text), [text])
  const keys = useMemo(() => all.slice(0, COMPARE_MAX), [all])
  const subjects = useSubjects(keys)
  const [first, ...others] = subjects
  // Until the engine's first update, it is unknown which nodes are watched.
  const isKnown = useFleet((fleet) => fleet.nodes.size > 0)
  const show = (next: readonly NodeKey[]): void => setParams((now) => withNodes(now, next))
  return (
    <div className="page">
      <PageHead
        crumb={{ href: hrefOf(PATHS.nodes), label: words.crumb }}
        title={words.title}
        actions={<AddNode keys={keys} onAdd={(key) => show([...keys, key])} />}
      >
        {keys.length > 0 && keys.length < COMPARE_MIN && <span className="ink-3">{words.onlyOne}</span>}
        {all.length > keys.length && <span className="ink-3">{words.cut(keys.length, all.length)}</span>}
      </PageHead>
      {keys.length === 0 ? (
        <Empty
          title={words.none.title}
          actions={<LinkButton href={hrefOf(PATHS.nodes)}>{words.none.toList}</LinkButton>}
        >
          {words.none.text}
        </Empty>
      ) : isKnown ? (
        <>
          <PartBoundary>
            <NowTable subjects={subjects} onRemove={(key) => show(keys.filter((one) => one !== key))} />
          </PartBoundary>
          <PartBoundary key={text}>
            {first !== undefined && <CompareCharts subjects={[first, ...others]} />}
          </PartBoundary>
        </>
      ) : (
        <Skeleton label={words.loading} lines={6} />
      )}
    </div>
  )
}

const SHOWN_MAX = 8
const CHARS_MAX = 200

type AddNodeProps = { readonly keys: readonly NodeKey[]; readonly onAdd: (key: NodeKey) => void }

function AddNode({ keys, onAdd }: AddNodeProps) {
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
      label={words.add.label}
      listLabel={words.add.suggestions}
      placeholder={isFull ? words.add.full(COMPARE_MAX) : words.add.placeholder}
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
      problem={!isFull && text !== undefined && found.length === 0 && words.add.noMatch}
    />
  )
}

function optionOf({ name, nodeId }: AssessedNode): { readonly text: string; readonly note?: string } {
  const id = idName(nodeId)
  return name === undefined ? { text: id } : { text: toVisibleText(name), note: id }
}
