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

/** Matching lines of files in src as "file:line: text", so that a failure reads as a to-do list. */
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

/** Good enough for these searches: drops block comments, and what follows `//` outside an address. */
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
  it('assigns a layer to every source file', () => {
    expect(scripts.filter((file) => lawFor(layerOf(file)) === undefined)).toEqual([])
  })

  it('holds for every import', () => {
    const broken = scripts
      .filter((file) => lawFor(layerOf(file)) !== undefined)
      .flatMap((file) => importsOf(file).map((specifier) => violation(file, specifier)))
    expect(broken.filter((line) => line !== undefined)).toEqual([])
  })

  it('lists layers bottom to top, and so has no cycle', () => {
    const names = Object.keys(LAYERS)
    const upward = Object.entries(LAYERS).flatMap(([name, { uses }]) =>
      uses
        .filter((used) => !names.slice(0, names.indexOf(name)).includes(used))
        .map((used) => `${name} -> ${used}`),
    )
    expect(upward).toEqual([])
  })

  it('allows no cycle of files, type imports included', () => {
    expect(circles(scripts)).toEqual([])
  })

  it('lets the first status wait only for these packages', () => {
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
  ])('forbids %s to import %s', (file, specifier, message) => {
    expect(violation(file, specifier)).toContain(message)
  })
})

const LIMIT_NAMES =
  'heartbeatWarningMs|heartbeatCriticalMs|participationBelow|participationAbove|stakeBelow|' +
  'answerTimeAboveMs|lateAfterIntervals|staleAfterIntervals|warningMs|criticalMs'
const COMPARES_WITH_LIMIT = new RegExp(`\\b(${LIMIT_NAMES})\\b.* [<>]=? | [<>]=? .*\\b(${LIMIT_NAMES})\\b`)

describe('names that only some layers may use', () => {
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
  ])('only the adapters name %s', (_what, pattern, allowed) => {
    expect(linesWith(pattern, scripts, allowed)).toEqual([])
  })

  it('only core, node and the assembly of engine and page import the list of metrics', () => {
    const allowed = below('core/', 'node/', 'web/app/create-dashboard.ts', 'web/engine/engine-worker.ts')
    expect(linesWith(/\bimport\b.*\bMETRICS\b/, scripts, allowed)).toEqual([])
  })

  it('only the table of shortcuts binds single keys, so that its list is complete', () => {
    const allowed = below('web/react/single-keys.ts', 'web/parts/key-map.ts')
    expect(linesWith(/\buseSingleKeys\(/, scripts, allowed)).toEqual([])
  })

  it('screens read the assessment and never compare with a limit', () => {
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

  it('Ed25519 keys are made only from a seed, and only the library’s group operations sign', () => {
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

  it('only the constructors of brands assert a type', () => {
    expect(scripts.flatMap((file) => assertionsIn(file, read(`src/${file}`)))).toEqual([])
    const refused = ['x as string', 'x as unknown as NodeKey[]', '<string>x', 'x!', 'x!.y']
    for (const code of refused) expect(assertionsIn('x.ts', code), code).not.toEqual([])
    for (const code of ['x as const', 'x as NodeKey', '!x', "import { a as b } from 'c'"])
      expect(assertionsIn('x.ts', code), code).toEqual([])
  })
})

describe('the tree', () => {
  it('has file names in kebab-case', () => {
    const kebab = /^([a-z0-9-]+\/)*([a-z0-9-]+(\.[a-z0-9]+)+|README\.md)$/
    expect(sources.filter((file) => !kebab.test(file))).toEqual([])
  })

  it('has only these files in public', () => {
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

  it('checks the types of core for pages, Workers and Node', () => {
    for (const file of ['web/tsconfig.json', 'web/tsconfig.worker.json', 'node/tsconfig.json'])
      expect(JSON.parse(read(`src/${file}`)).include).toContain('../core')
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

  it('include only one formatter and one linter', () => {
    const known = ['prettier', 'oxfmt', '@biomejs/biome', 'dprint', 'eslint', 'oxlint', 'standard']
    expect(names.filter((name) => known.includes(name)).toSorted()).toEqual(['oxfmt', 'oxlint'])
  })

  it('can be installed on every system, because the lock file has every optional package', () => {
    const locked: Readonly<Record<string, { optionalDependencies?: Readonly<Record<string, string>> }>> =
      JSON.parse(read('package-lock.json')).packages
    const places = Object.keys(locked)
    const wanted = Object.values(locked).flatMap((one) => Object.keys(one.optionalDependencies ?? {}))
    expect(wanted.filter((name) => !places.some((place) => place.endsWith(`node_modules/${name}`)))).toEqual(
      [],
    )
  })
})
