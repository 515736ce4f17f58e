import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { isEnough, LEAST_SHARE, scoreOf, scoreTable, type Score } from './mutation-score.ts'
import { runAloud } from './run.ts'
import { wantedOf } from './wanted.ts'

const ROOT = join(import.meta.dirname, '../..')
const STRYKER = 'node_modules/@stryker-mutator/core/bin/stryker.js'
const REPORT = join(ROOT, 'reports/mutation.json')

/**
 * Changes each part of core in many small ways, or the parts that are named, and sees which of
 * its own tests notice. Resolves to the exit code: 1 when a part is below 85 %, 2 for a part that does not exist.
 */
export async function main(args: readonly string[]): Promise<number> {
  const parts = readdirSync(join(ROOT, 'src/core'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const usage = [
    'npm run mutation                  all of core; this takes hours',
    `npm run mutation -- PART...       only these parts: ${parts.join(', ')}`,
    'npm run mutation -- --help        this text',
    '',
    `Fails where tests notice less than ${LEAST_SHARE * 100} % of a part's changes. What they do not notice`,
    'is printed; the reasons stand in test/surviving-mutants.md.',
  ].join('\n')
  const wanted = wantedOf(args, parts, usage)
  if (wanted.kind !== 'run') {
    say(wanted.words)
    return wanted.kind === 'help' ? 0 : 2
  }
  const scores: Score[] = []
  for (const part of wanted.given.length === 0 ? parts : wanted.given) scores.push(await measure(part))
  say(`\n${scoreTable(scores)}\n`)
  const failed = scores.filter((score) => !isEnough(score))
  for (const { part, changes } of failed)
    say(changes === 0 ? `core/${part} could not be measured` : `too little is noticed in core/${part}`)
  if (failed.length === 0) say('every part has enough')
  return failed.length === 0 ? 0 : 1
}

async function measure(part: string): Promise<Score> {
  rmSync(REPORT, { force: true })
  process.env['MUTATION_TESTS'] = `${part}/*`
  await runAloud(
    STRYKER,
    [
      'run',
      'test/stryker.config.json',
      '--mutate',
      `src/core/${part}/**/*.ts`,
      '--incrementalFile',
      `node_modules/.cache/stryker-${part}.json`,
    ],
    ROOT,
  )
  // Where a test fails without any change there is no report, and Stryker has said why.
  return scoreOf(part, existsSync(REPORT) ? JSON.parse(readFileSync(REPORT, 'utf8')) : { files: {} })
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
