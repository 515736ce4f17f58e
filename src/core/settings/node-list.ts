import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'
import { membersOf, readStored } from '#base/stored.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseTag } from '#record/typed-names.ts'
import { TAGS_MAX, type Service, type WatchedNode } from './schema.ts'
import { canonicalNodeId, parseNodeId, type NodeIdProblem } from '#record/node-id.ts'
import { parseBaseUrl } from '#record/service.ts'

const OWN_NODE_WORD = 'own'

/** Without `service`: a node of the list's first service. */
export type ListedNode = Readonly<Pick<WatchedNode, 'service' | 'id' | 'name' | 'notes'>> & {
  readonly tags?: readonly string[] | undefined
}

type NodeLineProblem =
  | NodeIdProblem
  /** The line exceeds `nodeLineCharsMax` and was not read. */
  | 'line-too-long'
  | 'bad-tag'
  | 'too-many-tags'
  | 'repeated'
  | 'too-many'
  /** A spreadsheet has converted an id into a number and lost most of its digits. */
  | 'rounded'
  /** JSON that cannot be read from this line on. */
  | 'not-json'
  | 'not-a-node'
  | 'notes-too-long'
  | 'unknown-service'

export type BadNodeLine = {
  /** Counted from 1; in JSON the line in which the entry begins. */
  readonly line: number
  /** The beginning of the line, or the faulty part of a long id; at most 80 characters. */
  readonly text: string
  readonly problem: NodeLineProblem
}

export type NodeList = {
  readonly nodes: readonly ListedNode[]
  /** The first 100 bad lines and the first 100 repeated nodes. Good lines are accepted in any case. */
  readonly bad: readonly BadNodeLine[]
  readonly badCount: number
  /** The part of `badCount` that only repeats a node. */
  readonly repeatedCount: number
  /** The full bad lines below their heading, without repeated nodes: the text left to correct. */
  readonly badText: string
  /** The first 100 lines whose name was too long; their nodes are in `nodes` with a shortened name. */
  readonly shortened: readonly Omit<BadNodeLine, 'problem'>[]
  /** The first 10 unknown services, as base URLs or as written. */
  readonly unknownServices: readonly string[]
}

export const NODE_NAME_CHARS_MAX = 60
const EXCERPT_CHARS_MAX = 80
const LINES_KEPT_MAX = 100
const UNKNOWN_SERVICES_MAX = 10
/** A list of 20,000 long ids with names has about 3.9 million characters. */
export const NODE_LIST_CHARS_MAX = 8_388_608

/**
 * Reads a list of nodes. Plain text has one node per line: the id, then a name and #tags. CSV may use commas, semicolons, bars
 * or tabs; a header row may reorder the columns, and unknown columns are ignored. Blank lines and lines that begin with "#" are
 * skipped. JSON is a list of ids or nodes, or an object with such a list as `nodes`. With `services`, a node may name one by
 * base URL or label; otherwise it belongs to the first.
 */
export function parseNodeList(text: string, services?: readonly ListService[]): NodeList {
  const whole = text.slice(0, NODE_LIST_CHARS_MAX).replace(/^\ufeff/, '')
  return /^\s*[[{]/.test(whole) ? parseJsonList(whole, services) : parseLines(whole, services)
}

export type ListService = Readonly<Pick<Service, 'baseUrl' | 'label'>>

const ROWS_BEFORE_MAX = 10

function parseLines(text: string, services: readonly ListService[] | undefined): NodeList {
  const list = createNodeList(services)
  const rows = Array.from(rowsOf(text))
  const first = rows.slice(0, ROWS_BEFORE_MAX).findIndex((row) => hasNode(row.text))
  const before = rows.slice(0, first === -1 ? ROWS_BEFORE_MAX : first)
  const heading = headingAmong(before, rows[before.length])
  const columns = heading?.columns ?? { ...SPACED, tags: NO_COLUMN }
  const headingLine = heading === undefined ? '' : `${heading.row.text}\n`
  // A title may precede the heading; each row below the heading counts as a node.
  for (const row of rows.slice(heading === undefined ? 0 : heading.index + 1)) {
    const isLong = row.text.length > DEFAULTS.nodeLineCharsMax
    const given = isLong ? err('line-too-long' as const) : ok(givenIn(row.text, columns))
    list.add({ line: row.line, text: row.text.slice(0, EXCERPT_CHARS_MAX) }, given, `${row.text}\n`)
  }
  return list.done((bad) => (bad.length === 0 ? '' : headingLine + bad.join('')))
}

type Row = { readonly line: number; readonly text: string }

/** Excel's first line, which names the separator. */
const SEPARATOR_LINE = /^"?sep=.?"?$/i

/**
 * Invisible characters that spreadsheets and chats insert and that belong to no id or name. Characters that change the text
 * direction are not removed: they are rejected and shown.
 */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g

const CELL_LINES_MAX = 20

/** Rows with content, without invisible characters; a quoted cell may span several lines. */
function* rowsOf(text: string): Generator<Row> {
  const lines = text.split(/\r\n|\r|\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    let row = lines[at] ?? ''
    if (isLeftOpen(row)) {
      const end = closingLine(lines, at)
      row = lines.slice(at, end + 1).join('\n')
      at = end
    }
    const shown = row.replace(INVISIBLE, '').trim()
    if (shown !== '' && !shown.startsWith('#') && !SEPARATOR_LINE.test(shown)) yield { line, text: shown }
  }
}

const hasOddQuotes = (line: string): boolean => line.split('"').length % 2 === 0

/** Whether a quoted cell of the line continues on the next line. */
const isLeftOpen = (line: string): boolean => /[,;\t|]\s*"/.test(line) && hasOddQuotes(line)

/** The index of the line that closes the open quoted cell; `from` if none does. */
function closingLine(lines: readonly string[], from: number): number {
  let chars = lines[from]?.length ?? 0
  for (let at = from + 1; at <= from + CELL_LINES_MAX && at < lines.length; at++) {
    const line = lines[at] ?? ''
    chars += line.length
    // A missing closing quote must not hide the nodes below.
    if (chars > DEFAULTS.nodeLineCharsMax || (separatorOf(line) !== undefined && hasNode(line))) break
    if (hasOddQuotes(line)) return at
  }
  return from
}

const hasNode = (line: string): boolean =>
  line.length <= DEFAULTS.nodeLineCharsMax &&
  [separatorOf(line), CSV_HEADING.exec(line)?.[1]].some((separator) => cellsOf(line, separator).some(isNode))

type Heading = { readonly index: number; readonly row: Row; readonly columns: Columns }

/** `first` is the first row with a node. */
function headingAmong(rows: readonly Row[], first: Row | undefined): Heading | undefined {
  for (const [index, row] of rows.entries()) {
    const columns = headingOf(row.text)
    if (columns !== undefined) return { index, row, columns }
  }
  const separator = first && CSV_HEADING.exec(first.text)?.[1]
  if (first === undefined || separator === undefined) return undefined
  const id = cellsOf(first.text, separator).findIndex(isNode)
  const index = rows.findLastIndex(({ text }) => {
    const cells = cellsOf(text, separator)
    // Excludes a wrong id and an id without its 0x.
    return cells.length > 1 && /^[^\d]+$/.test(cells[id] ?? '') && !/^[a-f]+$/i.test(cells[id] ?? '')
  })
  const row = rows[index]
  const named = row && columnsIn(row.text, separator, id)
  return (
    row &&
    named && { index, row, columns: { ...named, name: named.name === NO_COLUMN ? id + 1 : named.name } }
  )
}

function parseJsonList(text: string, services: readonly ListService[] | undefined): NodeList {
  const list = createNodeList(services)
  const entries = jsonEntries(text)
  if (!entries.ok) {
    list.add({ line: entries.error, text: lineAt(text, entries.error) }, err('not-json'), text)
    return list.done(() => text)
  }
  const lines = entryLines(text)
  for (const [index, entry] of entries.value.entries()) {
    const written = JSON.stringify(entry)
    const where = { line: lines[index] ?? 1, text: written.slice(0, EXCERPT_CHARS_MAX) }
    list.add(where, givenOf(entry), written)
  }
  return list.done((bad) => (bad.length === 0 ? '' : `[\n${bad.join(',\n')}\n]\n`))
}

/** The list's entries, or the line of the JSON error. */
function jsonEntries(text: string): Result<readonly unknown[], number> {
  try {
    const json: unknown = JSON.parse(text)
    const entries = Array.isArray(json) ? json : Object(json).nodes
    return ok(Array.isArray(entries) ? entries : [json])
  } catch (error) {
    // Engines report the position in different words.
    const message = error instanceof Error ? error.message : ''
    const [, line] = /\bline (\d+)/.exec(message) ?? []
    const [, position] = /\bposition (\d+)/.exec(message) ?? []
    const before = position === undefined ? text : text.slice(0, Number(position))
    return err(line === undefined ? before.split('\n').length : Number(line))
  }
}

/** Line numbers of the list's entries; requires valid JSON. */
function entryLines(text: string): readonly number[] {
  const from = text.trimStart().startsWith('[') ? text.indexOf('[') : text.search(/"nodes"\s*:\s*\[/)
  const lines: number[] = []
  let line = 1
  let depth = 0
  let isBetween = false
  // Strings are matched as a whole, so that their content is not taken for structure.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:,\n]|[^\s"[\]{}:,]+/g)) {
    if (token === '\n') line++
    if (index < from || token === '\n') continue
    if (depth === 0 && token !== '[') continue // The token is the name of the list.
    if (isBetween && token !== ']') lines.push(line)
    isBetween = (depth === 1 && token === ',') || (depth === 0 && token === '[')
    if (token === '[' || token === '{') depth++
    if (token === ']' || token === '}') depth--
    if (depth === 0) break
  }
  return lines
}

const lineAt = (text: string, line: number): string =>
  (text.split('\n', line)[line - 1] ?? '').trim().slice(0, EXCERPT_CHARS_MAX)

/** Further members are ignored. */
const JsonNode = v.object({
  id: v.nullish(v.string()),
  node_id: v.nullish(v.string()),
  name: v.optional(v.string(), ''),
  tags: v.pipe(
    v.nullish(v.union([v.string(), v.array(v.string())]), ''),
    v.transform((tags) => [tags].flat().join(' ')),
  ),
  service: v.optional(v.string(), ''),
  notes: v.optional(v.string()),
})

function givenOf(entry: unknown): Result<GivenNode, NodeLineProblem> {
  const members = typeof entry === 'string' ? { id: entry } : membersOf(entry)
  const node = readStored(JsonNode, members)
  if (members === undefined || node === undefined || Object.keys(members).length === 0)
    return err('not-a-node')
  return ok({ ...node, id: node.id ?? node.node_id ?? OWN_NODE_WORD })
}

type GivenNode = {
  readonly id: string
  readonly name: string
  /** Separated as `readNodeTags` expects. */
  readonly tags: string
  /** Empty: the list's first service. */
  readonly service: string
  readonly notes?: string | undefined
}

function createNodeList(services: readonly ListService[] | undefined) {
  const nodes: ListedNode[] = []
  const bad: BadNodeLine[] = []
  const badTexts: string[] = []
  const shortened: Omit<BadNodeLine, 'problem'>[] = []
  const seen = new Set<string>()
  const unknown = new Set<string>()
  let repeatedCount = 0
  return {
    add: (
      where: Omit<BadNodeLine, 'problem'>,
      given: Result<GivenNode, NodeLineProblem>,
      whole: string,
    ): void => {
      const node = given.ok ? readNode(given.value, services, seen, nodes.length) : given
      if (node.ok) {
        nodes.push(node.value.listed)
        if (node.value.isShortened && shortened.length < LINES_KEPT_MAX) shortened.push(where)
        return
      }
      if (given.ok && node.error === 'unknown-service' && unknown.size < UNKNOWN_SERVICES_MAX)
        unknown.add(serviceWord(given.value.service))
      const isRepeated = node.error === 'repeated'
      if (isRepeated) repeatedCount++
      else badTexts.push(whole)
      if ((isRepeated ? repeatedCount : badTexts.length) <= LINES_KEPT_MAX)
        bad.push({ ...where, text: excerptOf(whole, where.text, node.error), problem: node.error })
    },
    done: (joined: (bad: readonly string[]) => string): NodeList => ({
      nodes,
      bad,
      badCount: badTexts.length + repeatedCount,
      repeatedCount,
      badText: joined(badTexts),
      shortened,
      unknownServices: Array.from(unknown),
    }),
  }
}

const BEFORE_WRONG_CHARS = 8

/** The beginning of the line, or the part where its id is wrong. */
function excerptOf(line: string, beginning: string, problem: NodeLineProblem): string {
  const at = problem === 'not-hex' ? (/0x[\da-f]*/i.exec(line)?.[0].length ?? 0) : 0
  return at > 2 * BEFORE_WRONG_CHARS
    ? `…${line
        .slice(at - BEFORE_WRONG_CHARS)
        .trim()
        .slice(0, EXCERPT_CHARS_MAX - 1)}`
    : beginning
}

export const formatNodeList = (nodes: readonly ListedNode[]): string =>
  nodes
    .map(({ id, name, tags = [] }) =>
      [id ?? OWN_NODE_WORD, name === undefined ? undefined : nameText(name), ...tags.map((tag) => `#${tag}`)]
        .filter((part) => part !== undefined)
        .join('  '),
    )
    .join('\n')

/** Quoted if it would otherwise be read differently. */
const nameText = (name: string): string =>
  TAG_WORD.test(/\s\S+$/.exec(` ${name}`)?.[0] ?? '') || name.startsWith('"')
    ? `"${name.replaceAll('"', '""')}"`
    : name

type Columns = {
  readonly id: number
  readonly name: number
  readonly tags: number
  readonly service: number
  readonly notes: number
  /** Set if the first cell is not the id, so that it may contain spaces. */
  readonly separator?: string | undefined
}

/** "1.23E+45", as spreadsheets write a long number. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+?\d+$/i

function readNode(
  given: GivenNode,
  services: readonly ListService[] | undefined,
  seen: Set<string>,
  count: number,
): Result<{ readonly listed: ListedNode; readonly isShortened: boolean }, NodeLineProblem> {
  const isOwn = given.id.trim().toLowerCase() === OWN_NODE_WORD
  const id = parseNodeId(given.id)
  if (!isOwn && !id.ok) return ROUNDED.test(given.id.trim()) ? err('rounded') : id
  const whole = plainName(given.name)
  const name = shortName(whole)
  const tags = readNodeTags(given.tags)
  if (!tags.ok) return tags
  const notes = given.notes?.trim() ?? ''
  if (notes.length > DEFAULTS.notesCharsMax) return err('notes-too-long')
  const own = services?.[0]
  const service = services?.find((each) => isNamed(each, given.service)) ?? own
  if (service !== undefined && !isNamed(service, given.service)) return err('unknown-service')
  const isElsewhere = service !== undefined && service !== own
  const identity = `${isElsewhere ? service.baseUrl : ''} ${id.ok ? canonicalNodeId(id.value) : OWN_NODE_WORD}`
  if (seen.has(identity)) return err('repeated')
  if (count >= DEFAULTS.nodesMax) return err('too-many')
  seen.add(identity)
  const listed = {
    ...(id.ok && { id: id.value }),
    ...(name !== '' && { name }),
    ...(tags.value.length > 0 && { tags: tags.value }),
    ...(notes !== '' && { notes }),
    ...(isElsewhere && { service: service.baseUrl }),
  }
  return ok({ listed, isShortened: name !== whole })
}

/** Whether `text` names this service; an empty text names any. */
function isNamed({ baseUrl, label }: ListService, text: string): boolean {
  const word = text.trim()
  if (word === '' || word.toLowerCase() === label?.toLowerCase()) return true
  return serviceWord(word) === baseUrl
}

/** A base URL if the text is one, otherwise the label as written. */
function serviceWord(text: string): string {
  const url = parseBaseUrl(text.trim())
  return url.ok && /[.:]/.test(text) ? url.value : text.trim()
}

/** A name as stored: normalized, with single spaces. */
export const plainName = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim()

/** Shortens a long name with "…", without splitting a surrogate pair. */
const shortName = (name: string): string =>
  name.length <= NODE_NAME_CHARS_MAX
    ? name
    : `${name.slice(0, NODE_NAME_CHARS_MAX - 1).replace(/[\s\ud800-\udbff]$/, '')}…`

const isNode = (cell: string): boolean => cell.toLowerCase() === OWN_NODE_WORD || parseNodeId(cell.trim()).ok

const NO_COLUMN = -1
/** Index at which `cellsOf` returns the tags of a line without separators. */
const LAST_CELL = 2
const SPACED: Columns = { id: 0, name: 1, tags: LAST_CELL, service: NO_COLUMN, notes: NO_COLUMN }

/** Tags separated by spaces, commas, semicolons or bars, with or without #; duplicates are dropped. */
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

function headingOf(line: string): Columns | undefined {
  const own = separatorOf(line)
  // A node may be called "id" or "node".
  if (cellsOf(line, own).some(isNode)) return undefined
  // Column names may contain spaces, and a space-separated line may contain commas.
  return columnsIn(line, CSV_HEADING.exec(line)?.[1] ?? own) ?? columnsIn(line, own)
}

/** `idAt`: the column that contains ids, whatever its name. */
function columnsIn(line: string, separator: string | undefined, idAt = NO_COLUMN): Columns | undefined {
  const cells = cellsOf(line, separator)
  if (cells.some(isNode)) return undefined
  const names = cells.map((cell) => cell.toLowerCase().replace(/[\s_-]+/g, ' '))
  const columnOf = (...words: readonly string[]): number => names.findIndex((name) => words.includes(name))
  const id = idAt === NO_COLUMN ? columnOf('id', 'node id', 'nodeid', 'node') : idAt
  const name = columnOf(
    'name',
    'label',
    'node name',
    'display name',
    'alias',
    'host',
    'hostname',
    'host name',
  )
  const tags = columnOf('tags', 'tag')
  const service = names.indexOf('service')
  const notes = columnOf('notes', 'note')
  const isAlone = [name, tags, service, notes].every((column) => column === NO_COLUMN)
  // "My fleet, node" is not a heading.
  if (id === NO_COLUMN || (id > 0 && isAlone && separator !== separatorOf(line))) return undefined
  return {
    id,
    // Without a separator, the rest of the line is the name.
    name: name === NO_COLUMN && separator === undefined ? 1 : name,
    tags,
    service,
    notes,
    separator: id > 0 ? separator : undefined,
  }
}

/** Lines need not have the same format as their heading. */
function givenIn(line: string, columns: Columns): GivenNode {
  const byHeading = columns.separator === undefined ? undefined : cellsAt(line, columns.separator, columns)
  if (byHeading !== undefined && isNode(byHeading.id)) return byHeading
  const separator = separatorOf(line)
  if (separator !== undefined) return cellsAt(line, separator, columns)
  const spaced = columns.id === 0 ? SPACED : { ...SPACED, id: columns.id, name: columns.name }
  return cellsAt(line, undefined, spaced)
}

function cellsAt(line: string, separator: string | undefined, at: Columns): GivenNode {
  const cells = cellsOf(line, separator)
  return {
    id: cells[at.id] ?? '',
    name: cells[at.name] ?? '',
    tags: cells[at.tags] ?? '',
    service: cells[at.service] ?? '',
    notes: cells[at.notes] ?? '',
  }
}

/** A line's format follows from the separator after its first cell, which is an id. */
const CSV_LINE = /^(?:"(?:[^"]|"")*"|[^\s,;|"]*)[^\S\t]*([,;\t|])/
/** Column names may contain spaces. */
const CSV_HEADING = /^[^,;\t|"]*([,;\t|])/

const separatorOf = (line: string): string | undefined => CSV_LINE.exec(line)?.[1]

function cellsOf(line: string, separator: string | undefined): readonly string[] {
  if (separator !== undefined) return csvCells(line, separator)
  const space = line.search(/\s/)
  if (space === -1) return [unquoted(line)]
  // Tags come last. A # before a digit belongs to the name, as in "vela #1".
  const words = line.slice(space).match(/\s+\S+/g) ?? []
  let named = words.length
  while (named > 0 && TAG_WORD.test(words[named - 1] ?? '')) named--
  const tags = words.slice(named).map((word) => word.trim().slice(1))
  return [unquoted(line.slice(0, space)), unquoted(words.slice(0, named).join('')), tags.join(' ')]
}

/** RFC 4180 within one line: quoted cells may contain the separator and doubled quotes. */
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

const TAG_WORD = /^\s+#\p{L}[^\s,;|#"'`]*$/u

const unquoted = (cell: string): string => {
  const trimmed = cell.trim()
  return /^"[^]*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"').trim() : trimmed
}
