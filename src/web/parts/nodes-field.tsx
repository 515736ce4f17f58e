import { useMemo, useState, type ReactNode } from 'react'
import { NODE_LIST_CHARS_MAX, parseNodeList, type ListService } from '#settings/node-list.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { Button } from '#ui/button.tsx'
import { FileField } from '#ui/secret-field.tsx'
import { MarkedTextArea } from '#ui/template-field.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { textOfFile, type TextFileProblem } from './text-of-file.ts'

type NodesFieldProps = {
  readonly label: string
  readonly hideLabel?: boolean
  readonly text: string
  /** Services that the list may name, the default one first; absent if not known yet. */
  readonly services?: readonly ListService[] | undefined
  readonly onAddService: (baseUrl: string) => void
  readonly onChange: (text: string) => void
  readonly rows: number
  readonly hint: (count: number) => ReactNode
  readonly onFileText: (text: string) => void
}

const words = formTexts.nodes

/** Length of the excerpt of a bad line; enough to find it. */
const EXCERPT_CHARS_MAX = 24

const LINES_MAX = 12

/** A list of nodes to type, paste or load; bad lines are marked and good ones accepted. */
export function NodesField(props: NodesFieldProps) {
  const { label, hideLabel = false, text, services, onChange, rows, hint, onFileText } = props
  const list = useMemo(() => parseNodeList(text, services), [text, services])
  const { nodes, bad, badCount, shortened } = list
  const [problem, setProblem] = useState<TextFileProblem>()
  const readFile = async (file: File): Promise<void> => {
    const read = await textOfFile(file, NODE_LIST_CHARS_MAX)
    setProblem(read.ok ? undefined : read.error)
    if (read.ok) onFileText(read.value)
  }
  return (
    <>
      <MarkedTextArea
        label={label}
        hideLabel={hideLabel}
        rows={Math.min(
          LINES_MAX,
          Math.max(rows, text.split('\n', LINES_MAX).length + (bad.length + shortened.length > 0 ? 1 : 0)),
        )}
        placeholder={firstRunTexts.nodes.placeholder}
        value={text}
        onChange={onChange}
        hint={hint(nodes.length)}
        marks={[
          ...bad.map((line) => markOf(line, words.problems[line.problem])),
          ...shortened.map((line) => markOf(line, words.shortened)),
        ]}
        wrongCount={badCount + shortened.length}
        marksTitle={words.marked(badCount, shortened.length)}
        moreText={words.more}
      />
      <UnknownServices names={list.unknownServices} onAdd={props.onAddService} />
      <FileField
        label={words.chooseFile}
        hideLabel
        prompt={words.chooseFile}
        accept=".csv,.tsv,.txt,.json,text/plain,text/csv,application/json"
        onFile={(file) => void readFile(file)}
        error={problem && words.fileProblems[problem]}
      />
    </>
  )
}

type UnknownServicesProps = { readonly names: readonly string[]; readonly onAdd: (baseUrl: string) => void }

function UnknownServices({ names, onAdd }: UnknownServicesProps) {
  if (names.length === 0) return null
  return (
    <div className="text-12">
      {words.unknownServices}
      {names.map((name) => (
        <div key={name} className="flow">
          <LineExcerpt text={name} charsMax={SERVICE_CHARS_MAX} />
          {name.startsWith('http') ? (
            <Button
              size="small"
              aria-label={words.addServiceOf(toVisibleText(name))}
              onClick={() => onAdd(name)}
            >
              {words.addService}
            </Button>
          ) : (
            <span className="ink-3">{words.serviceByUrl}</span>
          )}
        </div>
      ))}
    </div>
  )
}

const SERVICE_CHARS_MAX = 80

type LineExcerptProps = { readonly text: string; readonly charsMax: number }

/** The beginning of a line. Shows no length, because only the beginning of a long line is stored. */
export const LineExcerpt = ({ text, charsMax }: LineExcerptProps) => (
  <>
    <VisibleText text={text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')} />
    {text.length > charsMax && '…'}
  </>
)

const markOf = ({ line, text }: { readonly line: number; readonly text: string }, problem: string) => ({
  line,
  lineLabel: words.line(line),
  text: (
    <>
      <LineExcerpt text={text} charsMax={EXCERPT_CHARS_MAX} />: {problem}
    </>
  ),
})
