import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { againOf, commitOf, withAgain } from './mutation-again.ts'
import { atMostLines, changedLines, linesOf, mutatePattern } from './mutation-changed.ts'
import { REASONS } from './mutation-reasons.ts'
import {
  changedProblem,
  folderResult,
  LEAST_CHANGES,
  LEAST_SHARE,
  needlessReasons,
  problemsOf,
  shareText,
  survivorsDocument,
  total,
  withOthers,
  type FolderResult,
  type Measured,
} from './mutation-score.ts'
import { runAloud } from './run.ts'
import { wantedOf } from './wanted.ts'

const ROOT = join(import.meta.dirname, '../..')
const STRYKER = 'node_modules/@stryker-mutator/core/bin/stryker.js'
const REPORT = join(ROOT, 'reports/mutation.json')
const RESULTS = join(ROOT, 'test/surviving-mutants.json')
const DOCUMENT = join(ROOT, 'test/surviving-mutants.md')

/** What `--changed` looks at, so that it ends: about three changes are made to a line. */
const MOST_COMMITS = 5
const MOST_LINES = 60
const MOST_MS = 4 * 60_000

/** Half of the cores: more makes tests slow, and a slow test counts as one that hangs. */
const WORKERS = Math.max(1, Math.floor(availableParallelism() / 2))

/**
 * Changes the code in many small ways and sees which tests notice. Resolves to the exit code:
 * 1 where too little is noticed, 2 for a folder that there is not.
 */
export async function main(args: readonly string[]): Promise<number> {
  const folders = mutatedFolders()
  const usage = [
    'npm run mutation                  every folder; this takes hours',
    'npm run mutation -- FOLDER...     only these folders:',
    `                                  ${folders.join(', ')}`,
    'npm run mutation -- FILE...       only these files, like core/monitor/poll.ts; the rest of their',
    '                                  folder stays as it was measured',
    'npm run mutation -- --survivors   only what survived before, of every folder or of those given beside it:',
    '                                  for after tests were added. A file that is another than it was when',
    '                                  measured is tried as a whole',
    'npm run mutation -- --changed     only lines that differ from what they were five commits ago:',
    `                                  the first ${MOST_LINES} of them, for at most four minutes; a folder that is not`,
    '                                  finished by then is not judged. Writes nothing, and with no such line',
    '                                  or no earlier commit it ends at once',
    'npm run mutation -- --document    no change: only writes the document anew, after reasons were written',
    'npm run mutation -- --help        this text',
    '',
    `Fails where tests notice less than ${LEAST_SHARE.folder * 100} % of a folder's changes or ${LEAST_SHARE.file * 100} % of a file's;`,
    `with --changed, less than ${LEAST_SHARE.file * 100} % of all changes to those lines, if they are ${LEAST_CHANGES} at least.`,
    'What they do not notice is written to test/surviving-mutants.md, with the reasons in test/runner/mutation-reasons.',
  ].join('\n')
  const known = [...folders, ...folders.flatMap(filesOf), '--survivors', '--changed', '--document']
  const wanted = wantedOf(args, known, usage)
  if (wanted.kind !== 'run') {
    say(wanted.words)
    return wanted.kind === 'help' ? 0 : 2
  }
  if (wanted.given.includes('--changed')) return measureChanged(folders)
  if (wanted.given.includes('--document')) {
    writeResults(storedResults(), folders)
    return 0
  }
  const given = wanted.given.filter((arg) => arg !== '--survivors')
  const measured = given.length === wanted.given.length ? measureFiles : measureSurvivors
  return measureFolders(given.length === 0 ? folders : given, folders, measured)
}

const mutatedFolders = (): readonly string[] => [
  ...readdirSync(join(ROOT, 'src/core'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `core/${name}`),
  'node/collector',
  'node/probe',
  'node/reference',
  'node/server',
]

const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)

/** Undefined where it can't be measured. */
type Measuring = (folder: string, files: readonly string[]) => Promise<FolderResult | undefined>

const measureFiles: Measuring = (folder, files) => measure(folder, files.join(','))

async function measureSurvivors(folder: string, files: readonly string[]): Promise<FolderResult | undefined> {
  const earlier = storedResults()[folder]
  if (earlier === undefined) return measureFiles(folder, files)
  const again = againOf(earlier, files, sourceAsMeasured)
  const pattern = [mutatePattern(again.lines), ...again.whole].filter((part) => part !== '').join(',')
  if (pattern === '') return earlier
  const found = await measure(folder, pattern)
  return found && withAgain(found, earlier, again)
}

function sourceAsMeasured(file: string, measured: Measured): string | undefined {
  const commit = commitOf(measured)
  if (commit === undefined) return undefined
  try {
    git('diff', '--quiet', commit, '--', file)
    return readFileSync(join(ROOT, file), 'utf8')
  } catch {
    return undefined
  }
}

async function measureFolders(
  given: readonly string[],
  folders: readonly string[],
  measured: Measuring,
): Promise<number> {
  const problems: string[] = []
  for (const folder of folders) {
    const whole = given.includes(folder)
    const files = filesOf(folder)
    const tried = whole ? files : files.filter((file) => given.includes(file))
    if (tried.length === 0) continue
    const found = await measured(
      folder,
      tried.map((file) => `src/${file}`),
    )
    const other = whole && measured === measureFiles ? [] : files.map((file) => `src/${file}`)
    const result = found && withOthers(found, storedResults()[folder], other)
    problems.push(
      ...(result === undefined ? [`src/${folder} could not be measured`] : problemsOf(folder, result)),
    )
    if (result === undefined) continue
    // After each folder: a run of hours that is ended keeps what it has.
    writeResults({ ...storedResults(), [folder]: result }, folders)
    say(`\nsrc/${folder}: ${shareText(total(result))} of ${total(result).changes} changes noticed`)
    for (const { file, original, replacement } of needlessReasons(result, REASONS))
      say(`no longer survives, so needs no reason: ${file}: ${original} -> ${replacement ?? 'anything'}`)
  }
  for (const problem of problems) say(problem)
  return problems.length === 0 ? 0 : 1
}

function writeResults(results: Readonly<Record<string, FolderResult>>, folders: readonly string[]): void {
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`)
  writeFileSync(DOCUMENT, survivorsDocument(results, folders, REASONS, filesOf))
}

function commitMeasured(): string {
  const changed = git('status', '--porcelain', '--', 'src', 'test/core', 'test/node', 'test/support')
  return `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : ', changed'}`
}

function storedResults(): Readonly<Record<string, FolderResult>> {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
}

async function measureChanged(folders: readonly string[]): Promise<number> {
  const endMs = performance.now() + MOST_MS
  const base = commitBefore()
  if (base === undefined) {
    say('compared with nothing: there is no earlier commit here')
    return 0
  }
  const diff = git('diff', '--unified=0', '--no-color', '--no-ext-diff', base, '--', 'src')
  const changed = changedLines(diff, folders)
  const ranges = atMostLines(changed, MOST_LINES)
  say(`compared with ${git('log', '-1', '--format=%h (%s)', base)}`)
  say(`${linesOf(ranges)} of ${linesOf(changed)} changed lines of ${folders.length} folders are tried`)
  const results: FolderResult[] = []
  for (const folder of folders) {
    const own = ranges.filter(({ file }) => file.startsWith(`src/${folder}/`))
    if (own.length === 0) continue
    const leftMs = Math.floor(endMs - performance.now())
    const result = leftMs > 0 ? await measure(folder, mutatePattern(own), leftMs) : undefined
    if (result === undefined) say(`src/${folder}: not finished in time, so not judged`)
    else results.push(result)
  }
  const problem = changedProblem(results)
  if (problem !== undefined) say(problem)
  return problem === undefined ? 0 : 1
}

/** In a copy without history, or with one commit only, there is none. */
function commitBefore(): string | undefined {
  try {
    const commits = git('rev-list', `--max-count=${MOST_COMMITS + 1}`, 'HEAD').split('\n')
    return commits.length > 1 ? commits.at(-1) : undefined
  } catch {
    return undefined
  }
}

/** Undefined where there is no report: a test fails without any change, as Stryker has said, or the time was over. */
async function measure(folder: string, pattern: string, limitMs?: number): Promise<FolderResult | undefined> {
  rmSync(REPORT, { force: true })
  process.env['MUTATION_TESTS'] = testsOf(folder).join(',')
  // As it is when the tool makes its copy: a run of hours outlives commits.
  const commit = commitMeasured()
  const date = new Date().toISOString().slice(0, 10)
  await runAloud(
    STRYKER,
    ['run', 'test/stryker.config.json', '--mutate', pattern, '--concurrency', `${WORKERS}`],
    ROOT,
    limitMs,
  )
  return existsSync(REPORT) ? folderResult(JSON.parse(readFileSync(REPORT, 'utf8')), date, commit) : undefined
}

/** Tests of a folder that stand elsewhere: with the words that tell who is to blame, or with what other people's tools say. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'core/evaluate': 'test/web/blame.test.ts',
  'core/prometheus': 'test/contract/query-api.test.ts',
  'node/reference': 'test/contract/profiles.test.ts',
}

const testsOf = (folder: string): readonly string[] =>
  [`test/${folder}/**/*.test.ts`, ELSEWHERE[folder] ?? []].flat()

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 }).trim()

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
