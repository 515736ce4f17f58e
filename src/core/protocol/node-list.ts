import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from './defaults.ts'
import { canonicalNodeId, parseNodeId, type NodeIdProblem } from './node-id.ts'

/** Stands where an id is expected and means the node of the signing key, which needs no id. */
export const OWN_NODE_WORD = 'own'

/** One node as an operator lists it. Without `id` it is the node of the signing key. */
export type ListedNode = { readonly id?: string | undefined; readonly name?: string | undefined }

export type NodeLineProblem = NodeIdProblem | 'name-too-long' | 'repeated' | 'too-many'

export type BadNodeLine = {
  /** Counted from 1, as editors do. */
  readonly line: number
  /** The line's beginning, at most 80 characters. */
  readonly text: string
  readonly problem: NodeLineProblem
}

export type NodeList = {
  readonly nodes: readonly ListedNode[]
  /** The first bad lines, at most 100. Good lines are kept whatever stands beside them. */
  readonly bad: readonly BadNodeLine[]
  readonly badCount: number
}

const NAME_CHARS_MAX = 60
const EXCERPT_CHARS_MAX = 80
const BAD_LINES_KEPT_MAX = 100
/** A list of 20,000 long ids with names has about 3.9 million characters. */
export const NODE_LIST_CHARS_MAX = 8_388_608

/**
 * Reads a list of nodes as people write it: one a line, the id and then a name, apart by
 * spaces, or as CSV with comma, semicolon or tab. A CSV heading may put the columns in
 * another order; further columns are passed over. Blank lines and lines from "#" on are none.
 */
export function parseNodeList(text: string): NodeList {
  const nodes: ListedNode[] = []
  const bad: BadNodeLine[] = []
  const seen = new Set<string>()
  let badCount = 0
  let columns: Columns | undefined
  for (const [index, raw] of text
    .slice(0, NODE_LIST_CHARS_MAX)
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = raw.replace(/^\ufeff/, '').trim()
    if (line === '' || line.startsWith('#')) continue
    const cells = cellsOf(line)
    if (columns === undefined) {
      const heading = headingOf(cells, CSV_LINE.test(line))
      columns = heading ?? { id: 0, name: 1 }
      if (heading !== undefined) continue
    }
    const node = readCells(cells, columns, seen, nodes.length)
    if (node.ok) {
      nodes.push(node.value)
    } else if (++badCount <= BAD_LINES_KEPT_MAX) {
      bad.push({ line: index + 1, text: line.slice(0, EXCERPT_CHARS_MAX), problem: node.error })
    }
  }
  return { nodes, bad, badCount }
}

/** The list as text that `parseNodeList` reads back. */
export const formatNodeList = (nodes: readonly ListedNode[]): string =>
  nodes
    .map(({ id, name }) => [id ?? OWN_NODE_WORD, name].filter((part) => part !== undefined).join('  '))
    .join('\n')

type Columns = { readonly id: number; readonly name: number }

function readCells(
  cells: readonly string[],
  columns: Columns,
  seen: Set<string>,
  count: number,
): Result<ListedNode, NodeLineProblem> {
  const idText = cells[columns.id] ?? ''
  const isOwn = idText.toLowerCase() === OWN_NODE_WORD
  const id = parseNodeId(idText)
  if (!isOwn && !id.ok) return id
  const name = (cells[columns.name] ?? '').replace(/\s+/g, ' ').trim()
  if (name.length > NAME_CHARS_MAX) return err('name-too-long')
  const identity = id.ok ? canonicalNodeId(id.value) : OWN_NODE_WORD
  if (seen.has(identity)) return err('repeated')
  if (count >= DEFAULTS.nodesMax) return err('too-many')
  seen.add(identity)
  return ok({ ...(id.ok && { id: id.value }), ...(name !== '' && { name }) })
}

/** A line that names its columns instead of a node. */
function headingOf(cells: readonly string[], isCsv: boolean): Columns | undefined {
  const names = cells.map((cell) => cell.toLowerCase().replace(/[\s_-]+/g, ' '))
  const id = names.findIndex((name) => name === 'id' || name === 'node id' || name === 'node')
  const name = names.findIndex((cell) => cell === 'name' || cell === 'label')
  if (id === -1) return undefined
  return { id, name: name === -1 && !isCsv ? 1 : name } // without a separator the rest of a line is the name
}

/** What separates the first cell from the second tells which form the line has. */
const CSV_LINE = /^(?:"(?:[^"]|"")*"|[^\s,;"]*)[ ]*([,;\t])/

function cellsOf(line: string): readonly string[] {
  const separator = CSV_LINE.exec(line)?.[1]
  if (separator !== undefined) return csvCells(line, separator)
  const space = line.search(/\s/)
  const cells = space === -1 ? [line] : [line.slice(0, space), line.slice(space + 1)]
  return cells.map(unquoted)
}

/** RFC 4180 within one line: quoted cells may hold the separator, and a quote doubled. */
function csvCells(line: string, separator: string): readonly string[] {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (const char of line) {
    if (char === '"') quoted = !quoted
    if (char === separator && !quoted) {
      cells.push(unquoted(cell))
      cell = ''
    } else {
      cell += char
    }
  }
  return [...cells, unquoted(cell)]
}

const unquoted = (cell: string): string => {
  const trimmed = cell.trim()
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"').trim() : trimmed
}
