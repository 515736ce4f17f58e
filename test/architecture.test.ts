import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertionsIn } from './support/assertions.ts'
import {
  LAYERS,
  circles,
  importsOf,
  lawFor,
  layerOf,
  packagesNeededBy,
  violation,
} from './support/import-law.ts'
import { filesOf, read, sources } from './support/source-tree.ts'

/** Files of src, and what they hold, that match; as "file:line: text", so that a failure reads as a to-do list. */
const linesWith = (
  pattern: RegExp,
  files: readonly string[],
  allowed: (file: string, line: string) => boolean,
) =>
  files.flatMap((file) =>
    read(join('src', file))
      .split('\n')
      .flatMap((line, index) => {
        const code = pattern.test(line) ? withoutComment(line) : ''
        return pattern.test(code) && !allowed(file, code) ? [`${file}:${index + 1}: ${line.trim()}`] : []
      }),
  )

/** Good enough for greps: what follows `//` (but not in an address) or stands in a block comment's line. */
const withoutComment = (line: string): string => {
  const trimmed = line.trimStart()
  if (trimmed.startsWith('*') || trimmed.startsWith('/*')) return ''
  return line.replace(/(^|[^:])\/\/.*$/, '$1')
}

const below =
  (...folders: readonly string[]) =>
  (file: string) =>
    folders.some((folder) => file.startsWith(folder))

const scripts = sources.filter((file) => /\.(ts|tsx)$/.test(file))

describe('the import law', () => {
  it('knows the layer of every source file', () => {
    expect(scripts.filter((file) => lawFor(layerOf(file)) === undefined)).toEqual([])
  })

  it('holds for every import', () => {
    const broken = scripts
      .filter((file) => lawFor(layerOf(file)) !== undefined)
      .flatMap((file) => importsOf(file).map((specifier) => violation(file, specifier)))
    expect(broken.filter((line) => line !== undefined)).toEqual([])
  })

  it('lists layers bottom to top, so that it has no cycle', () => {
    const names = Object.keys(LAYERS)
    const upward = Object.entries(LAYERS).flatMap(([name, { uses }]) =>
      uses
        .filter((used) => !names.slice(0, names.indexOf(name)).includes(used))
        .map((used) => `${name} -> ${used}`),
    )
    expect(upward).toEqual([])
  })

  it('has no circle of files, types included', () => {
    expect(circles(scripts)).toEqual([])
  })

  it('has the pages with a first status wait for no package but these', () => {
    const pages = ['web/app/main.tsx', 'web/features/fleet/fleet-page.tsx', 'web/features/node/node-page.tsx']
    expect(packagesNeededBy(pages)).toEqual(['comlink', 'lucide-react', 'react', 'react-dom/client'])
  })

  it.each([
    ['core/base/x.ts', '#record/service.ts', 'core/base must not import core/record'],
    ['core/monitor/x.ts', '#keys/x.ts', 'core/monitor must not import core/keys'],
    ['web/ui/x.tsx', '#fleet/live.ts', 'web/ui must not import core/fleet'],
    [
      'web/features/node/x.tsx',
      '#features/settings/y.tsx',
      'web/features/node must not import web/features/settings',
    ],
    ['core/protocol/x.ts', 'node:fs', 'package node:fs is not allowed in core/protocol'],
    ['core/base/x.ts', '../record/service.ts', 'crosses a folder with "../"'],
    ['core/base/x.ts', './bytes', 'leaves out the extension'],
    ['web/elsewhere/x.ts', './y.ts', 'web/elsewhere is not a declared layer'],
  ])('refuses that %s imports %s', (file, specifier, message) => {
    expect(violation(file, specifier)).toContain(message)
  })
})

const LIMIT_NAMES = [
  'heartbeatWarningMs',
  'heartbeatCriticalMs',
  'participationBelow',
  'participationAbove',
  'stakeBelow',
  'answerTimeAboveMs',
  'lateAfterIntervals',
  'staleAfterIntervals',
  'warningMs',
  'criticalMs',
].join('|')
const COMPARES_WITH_LIMIT = new RegExp(`\\b(${LIMIT_NAMES})\\b.* [<>]=? | [<>]=? .*\\b(${LIMIT_NAMES})\\b`)

describe('what only some places may name', () => {
  it.each([
    [
      'the network',
      /\bfetch\(|\bglobalThis\.fetch\b|\bXMLHttpRequest\b|\bWebSocket\(|\bEventSource\(|sendBeacon/,
      below('web/platform/', 'node/'),
    ],
    ['timers', /\b(setTimeout|setInterval|requestIdleCallback)\(/, below('web/platform/', 'node/')],
    ['the clock', /\bDate\.now\(|\bperformance\.now\(|\bnew Date\(\)/, below('web/platform/', 'node/')],
    ['storage', /\b(indexedDB|localStorage|sessionStorage)\b/, below('web/platform/')],
    [
      'randomness',
      /\bgetRandomValues\(|\bMath\.random\(|\brandomUUID\(/,
      below('web/platform/', 'node/', 'core/keys/'),
    ],
  ])('%s is named only by the adapters', (_what, pattern, allowed) => {
    expect(linesWith(pattern, scripts, allowed)).toEqual([])
  })

  it('the metrics of the record are named where engine and page are put together, and walked as given elsewhere', () => {
    const allowed = below('core/', 'node/', 'web/app/create-dashboard.ts', 'web/engine/engine-worker.ts')
    expect(linesWith(/\bimport\b.*\bMETRICS\b/, scripts, allowed)).toEqual([])
  })

  it('keys are named by the table of shortcuts alone, which is what lists them', () => {
    const allowed = below('web/react/single-keys.ts', 'web/parts/key-map.ts')
    expect(linesWith(/\buseSingleKeys\(/, scripts, allowed)).toEqual([])
  })

  it('no screen compares with a limit: it reads the assessment', () => {
    const screens = scripts.filter(below('web/'))
    expect(linesWith(COMPARES_WITH_LIMIT, screens, () => false)).toEqual([])
    const evaluators = ['#evaluate/assess.ts', '#metrics/evaluate-metric.ts']
    expect(screens.filter((file) => importsOf(file).some((one) => evaluators.includes(one)))).toEqual([])
    for (const line of [
      'if (ageMs > (heartbeatCriticalMs.value ?? Number.POSITIVE_INFINITY)) return',
      'read.ratio < (participationBelow.value ?? 0)',
      'intervals > DEFAULTS.lateAfterIntervals',
      'settings.stakeBelow.value >= stake',
      'age > criticalMs',
    ])
      expect(line).toMatch(COMPARES_WITH_LIMIT)
  })

  it('Ed25519 keys come from a seed and in no other way, by a library of which only the group signs', () => {
    const ways = linesWith(/\bed25519\.|from '@noble\/curves|\bnacl\./, scripts, (file, line) => {
      const safe =
        /\bed25519\.(Point\b|verify\()|^import \{ ed25519 \} from '@noble\/curves\/ed25519.js'|\bnacl\.sign\.detached\.verify\(/
      return file.startsWith('core/keys/') && safe.test(line.trim())
    })
    expect(ways).toEqual([])
  })

  it('no text becomes code or markup', () => {
    const pattern =
      /\beval\(|\bnew Function\b|innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write\(/
    expect(linesWith(pattern, scripts, () => false)).toEqual([])
  })

  it('a type is asserted only where a brand is given', () => {
    expect(scripts.flatMap((file) => assertionsIn(file, read(`src/${file}`)))).toEqual([])
    const refused = ['x as string', 'x as unknown as NodeId[]', '<string>x', 'x!', 'x!.y']
    for (const code of refused) expect(assertionsIn('x.ts', code), code).not.toEqual([])
    for (const code of ['x as const', 'x as NodeId', '!x', "import { a as b } from 'c'"])
      expect(assertionsIn('x.ts', code), code).toEqual([])
  })
})

describe('the tree', () => {
  it('has names in kebab-case', () => {
    const kebab = /^([a-z0-9-]+\/)*([a-z0-9-]+(\.[a-z0-9]+)+|README\.md)$/
    expect(sources.filter((file) => !kebab.test(file))).toEqual([])
  })

  it('ships in public only what is listed here', () => {
    expect(filesOf('public').toSorted()).toEqual([
      'config.schema.json',
      'favicon.svg',
      'icon-192.png',
      'icon-512.png',
      'icon-maskable-192.png',
      'icon-maskable-512.png',
      'manifest.webmanifest',
      'theme.js',
    ])
  })

  it('checks core where it is used, too', () => {
    for (const project of ['src/web', 'src/node'])
      expect(JSON.parse(read(`${project}/tsconfig.json`)).include).toContain('../core')
  })
})

describe('the packages', () => {
  const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(
    read('package.json'),
  )
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })

  it('are pinned to exact versions', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })

  it('hold one formatter and one linter', () => {
    const known = ['prettier', 'oxfmt', '@biomejs/biome', 'dprint', 'eslint', 'oxlint', 'standard']
    expect(names.filter((name) => known.includes(name)).toSorted()).toEqual(['oxfmt', 'oxlint'])
  })

  it('can be installed anywhere: the lock file has every optional package, each system its own', () => {
    const locked: Readonly<Record<string, { optionalDependencies?: Readonly<Record<string, string>> }>> =
      JSON.parse(read('package-lock.json')).packages
    const places = Object.keys(locked)
    const wanted = Object.values(locked).flatMap((one) => Object.keys(one.optionalDependencies ?? {}))
    expect(wanted.filter((name) => !places.some((place) => place.endsWith(`node_modules/${name}`)))).toEqual(
      [],
    )
  })
})
