import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseTag, TAGS_MAX } from './tag.ts'
import { canonicalNodeId, parseNodeId, type NodeIdProblem } from '#record/node-id.ts'

/** Stands where an id is expected and means the node of the signing key, which needs no id. */
export const OWN_NODE_WORD = 'own'

/** One node as an operator lists it. Without `id` it is the node of the signing key. */
export type ListedNode = {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly tags?: readonly string[] | undefined
}

export type NodeLineProblem = NodeIdProblem | 'bad-tag' | 'too-many-tags' | 'repeated' | 'too-many'

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
  /** The bad lines whole, each with its line end: what stays to be mended. */
  readonly badText: string
  /** The first lines whose name was too long, at most 100: their nodes are in `nodes`, with the name's beginning. */
  readonly shortened: readonly Omit<BadNodeLine, 'problem'>[]
}

/** Longest name of a node, in characters. */
export const NODE_NAME_CHARS_MAX = 60
const EXCERPT_CHARS_MAX = 80
const LINES_KEPT_MAX = 100
/** A list of 20,000 long ids with names has about 3.9 million characters. */
export const NODE_LIST_CHARS_MAX = 8_388_608

/**
 * Reads a list of nodes as people write it: one a line, the id, then a name and #tags, apart by
 * spaces, or as CSV with comma, semicolon or tab. A CSV heading may put the columns in
 * another order; further columns are passed over. Blank lines and lines from "#" on are none.
 */
export function parseNodeList(text: string): NodeList {
  const nodes: ListedNode[] = []
  const bad: BadNodeLine[] = []
  const badLines: string[] = []
  const shortened: Omit<BadNodeLine, 'problem'>[] = []
  const seen = new Set<string>()
  let columns: Columns | undefined
  for (const [index, raw] of text
    .slice(0, NODE_LIST_CHARS_MAX)
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = raw.replace(/^\ufeff/, '').trim()
    if (line === '' || line.startsWith('#')) continue
    const cells = cellsOf(line)
    const isCsv = CSV_LINE.test(line)
    if (columns === undefined) {
      const heading = headingOf(cells, isCsv)
      columns = heading ?? { id: 0, name: 1, tags: NO_COLUMN }
      if (heading !== undefined) continue
    }
    const node = readCells(cells, isCsv ? columns : { ...columns, tags: LAST_CELL }, seen, nodes.length)
    const place = { line: index + 1, text: line.slice(0, EXCERPT_CHARS_MAX) }
    if (node.ok) {
      const { listed, isShortened } = node.value
      nodes.push(listed)
      if (isShortened && shortened.length < LINES_KEPT_MAX) shortened.push(place)
    } else {
      badLines.push(`${line}\n`)
      if (bad.length < LINES_KEPT_MAX) bad.push({ ...place, problem: node.error })
    }
  }
  return { nodes, bad, badCount: badLines.length, badText: badLines.join(''), shortened }
}

/** The list as text that `parseNodeList` reads back. */
export const formatNodeList = (nodes: readonly ListedNode[]): string =>
  nodes
    .map(({ id, name, tags = [] }) =>
      [id ?? OWN_NODE_WORD, name === undefined ? undefined : nameText(name), ...tags.map((tag) => `#${tag}`)]
        .filter((part) => part !== undefined)
        .join('  '),
    )
    .join('\n')

/** In quotes where it would be read otherwise. */
const nameText = (name: string): string =>
  LAST_TAG.test(` ${name}`) || name.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name

type Columns = { readonly id: number; readonly name: number; readonly tags: number }

function readCells(
  cells: readonly string[],
  columns: Columns,
  seen: Set<string>,
  count: number,
): Result<{ readonly listed: ListedNode; readonly isShortened: boolean }, NodeLineProblem> {
  const idText = cells[columns.id] ?? ''
  const isOwn = idText.toLowerCase() === OWN_NODE_WORD
  const id = parseNodeId(idText)
  if (!isOwn && !id.ok) return id
  const whole = plainName(cells[columns.name] ?? '')
  const name = shortName(whole)
  const tags = readNodeTags(cells[columns.tags] ?? '')
  if (!tags.ok) return tags
  const identity = id.ok ? canonicalNodeId(id.value) : OWN_NODE_WORD
  if (seen.has(identity)) return err('repeated')
  if (count >= DEFAULTS.nodesMax) return err('too-many')
  seen.add(identity)
  const listed = {
    ...(id.ok && { id: id.value }),
    ...(name !== '' && { name }),
    ...(tags.value.length > 0 && { tags: tags.value }),
  }
  return ok({ listed, isShortened: name !== whole })
}

/** A name as it is kept: each run of spaces as one. */
export const plainName = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The name, or as much of it as may be kept and "…". A pair of surrogates is not parted. */
const shortName = (name: string): string =>
  name.length <= NODE_NAME_CHARS_MAX
    ? name
    : `${name.slice(0, NODE_NAME_CHARS_MAX - 1).replace(/[\s\ud800-\udbff]$/, '')}…`

const isNode = (cell: string): boolean => cell.toLowerCase() === OWN_NODE_WORD || parseNodeId(cell).ok

const NO_COLUMN = -1
/** Where `cellsOf` puts the tags of a line without separators. */
const LAST_CELL = 2

/** Tags of one cell, apart by spaces, semicolons or bars, with or without #; each once. */
export function readNodeTags(text: string): Result<readonly string[], 'bad-tag' | 'too-many-tags'> {
  const tags = new Set<string>()
  for (const part of text.split(/[\s,;|]+/)) {
    if (part === '') continue
    const tag = parseTag(part)
    if (tag === undefined) return err('bad-tag')
    tags.add(tag)
  }
  return tags.size > TAGS_MAX ? err('too-many-tags') : ok(Array.from(tags))
}

/** A line that names its columns instead of a node. */
function headingOf(cells: readonly string[], isCsv: boolean): Columns | undefined {
  if (cells.some(isNode)) return undefined // a node may be called "id" or "node"
  const names = cells.map((cell) => cell.toLowerCase().replace(/[\s_-]+/g, ' '))
  const id = names.findIndex((name) => name === 'id' || name === 'node id' || name === 'node')
  const name = names.findIndex((cell) => cell === 'name' || cell === 'label')
  const tags = names.findIndex((cell) => cell === 'tags' || cell === 'tag')
  if (id === -1) return undefined
  return { id, name: name === -1 && !isCsv ? 1 : name, tags } // without a separator the rest of a line is the name
}

/** What separates the first cell from the second tells which form the line has. */
const CSV_LINE = /^(?:"(?:[^"]|"")*"|[^\s,;"]*)[ ]*([,;\t])/

function cellsOf(line: string): readonly string[] {
  const separator = CSV_LINE.exec(line)?.[1]
  if (separator !== undefined) return csvCells(line, separator)
  const space = line.search(/\s/)
  if (space === -1) return [unquoted(line)]
  // Tags stand last; a # before a digit is part of the name, as in "vela #1".
  let name = line.slice(space)
  const tags: string[] = []
  for (let last = LAST_TAG.exec(name); last !== null; last = LAST_TAG.exec(name)) {
    tags.unshift(last[1] ?? '')
    name = name.slice(0, last.index)
  }
  return [unquoted(line.slice(0, space)), unquoted(name), tags.join(' ')]
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

const LAST_TAG = /\s#(\p{L}[^\s,;|#"'`]*)\s*$/u

const unquoted = (cell: string): string => {
  const trimmed = cell.trim()
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"').trim() : trimmed
}
