import { posix } from 'node:path'
import { parseSync } from 'vite'
import { read } from './source-tree.ts'

type Law = { readonly uses: readonly string[]; readonly packages: readonly string[] }

const CORE = ['core/base', 'core/protocol', 'core/history', 'core/monitor', 'core/alarms', 'core/tabs']

/**
 * The import law, bottom to top. A layer may import itself, the layers listed under `uses`,
 * and the npm packages listed under `packages`. Nothing else. `node/cli` is the file
 * src/node/cli.ts, which connects things as web/app does.
 */
export const LAYERS: Readonly<Record<string, Law>> = {
  'core/base': { uses: [], packages: [] },
  'core/protocol': { uses: ['core/base'], packages: ['valibot', '@noble/hashes'] },
  'core/keys': { uses: ['core/base', 'core/protocol'], packages: ['tweetnacl', 'valibot', '@noble/*'] },
  'core/history': { uses: ['core/base', 'core/protocol'], packages: [] },
  // The engine is given a Signer: it sees no key.
  'core/monitor': { uses: ['core/base', 'core/protocol', 'core/history'], packages: [] },
  'core/alarms': { uses: ['core/base', 'core/protocol', 'core/history', 'core/monitor'], packages: [] },
  'core/tabs': { uses: ['core/base', 'core/history', 'core/monitor', 'core/alarms'], packages: [] },
  'web/texts': { uses: CORE, packages: [] },
  'web/platform': { uses: [...CORE, 'core/keys'], packages: ['idb', 'comlink'] },
  'web/signer': { uses: ['core/base', 'core/protocol', 'core/keys', 'web/platform'], packages: ['comlink'] },
  // Words too: what leaves the browser is read by people.
  'web/engine': { uses: [...CORE, 'web/texts', 'web/platform', 'web/signer'], packages: ['comlink'] },
  'web/react': {
    uses: [...CORE, 'web/engine', 'web/signer', 'web/platform'],
    packages: ['react', '@tanstack/react-query'],
  },
  // ui knows no domain type: props in, DOM out.
  'web/ui': {
    uses: ['core/base'],
    packages: [
      'react',
      'react-dom',
      'recharts',
      'lean-qr',
      'lucide-react',
      '@tanstack/react-virtual',
      '@fontsource/*',
      '@fontsource-variable/*',
    ],
  },
  // What several features show alike: domain types and words, but no page of its own.
  'web/parts': {
    uses: [...CORE, 'web/engine', 'web/signer', 'web/texts', 'web/react', 'web/ui'],
    packages: ['react', 'lucide-react'],
  },
  'web/features/*': {
    uses: [...CORE, 'web/engine', 'web/signer', 'web/texts', 'web/react', 'web/ui', 'web/parts'],
    packages: ['react', '@tanstack/react-query', 'wouter', 'lucide-react'],
  },
  'web/app': {
    uses: [
      ...CORE,
      'core/keys',
      'web/texts',
      'web/platform',
      'web/signer',
      'web/engine',
      'web/react',
      'web/ui',
      'web/parts',
      'web/features/*',
    ],
    packages: ['react', 'react-dom', '@tanstack/react-query', 'wouter', 'lucide-react', 'comlink'],
  },
  'node/reference': { uses: ['core/base', 'core/protocol', 'core/keys'], packages: ['node:*'] },
  'node/server': { uses: ['core/base', 'core/protocol'], packages: ['node:*'] },
  'node/cli': {
    uses: ['core/base', 'core/protocol', 'node/reference', 'node/server'],
    packages: ['node:*', 'vite'],
  },
}

const aliases: Readonly<Record<string, string>> = JSON.parse(read('package.json')).imports

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

const matches = (pattern: string, value: string): boolean =>
  new RegExp(`^${escaped(pattern).replaceAll('*', '.+')}$`).test(value)

/**
 * `web/features/fleet/page.tsx` lives in `web/features/fleet`, `node/cli.ts` in `node/cli`;
 * every other file lives in its first two folders.
 */
export const layerOf = (file: string): string =>
  file
    .split('/')
    .slice(0, file.startsWith('web/features/') ? 3 : 2)
    .join('/')
    .replace(/\.\w+$/, '')

export const lawFor = (layer: string): Law | undefined =>
  LAYERS[layer] ?? (layer.startsWith('web/features/') ? LAYERS['web/features/*'] : undefined)

/** What a file of src imports: statically, by re-export, dynamically, and as a Worker. */
export function importsOf(file: string): readonly string[] {
  const code = read(`src/${file}`)
  const { module } = parseSync(file, code)
  return [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...module.staticExports.flatMap((found) =>
      found.entries.flatMap((entry) => (entry.moduleRequest ? [entry.moduleRequest.value] : [])),
    ),
    ...module.dynamicImports.map((found) =>
      code.slice(found.moduleRequest.start + 1, found.moduleRequest.end - 1),
    ),
  ]
}

/** Path inside src, or undefined for a package. */
function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  for (const [alias, target] of Object.entries(aliases)) {
    const prefix = alias.slice(0, -1)
    if (specifier.startsWith(prefix))
      return posix.relative('src', posix.join(target.slice(0, -1), specifier.slice(prefix.length)))
  }
  return undefined
}

/** What is wrong with an import, in words; undefined when nothing is. */
export function violation(file: string, specifier: string): string | undefined {
  const from = layerOf(file)
  const law = lawFor(from)
  if (law === undefined) return `${file}: ${from} is not a declared layer`
  if (specifier.startsWith('../'))
    return `${file}: ${specifier} crosses a folder with "../": use the layer's name`
  const target = resolve(file, specifier.replace(/\?.*$/, ''))
  if (target === undefined) {
    const known = law.packages.some((p) => matches(p, specifier) || matches(`${p}/*`, specifier))
    return known ? undefined : `${file}: package ${specifier} is not allowed in ${from}`
  }
  if (!/\.\w+$/.test(target)) return `${file}: ${specifier} leaves out the extension`
  const to = layerOf(target)
  if (to === from || law.uses.some((used) => matches(used, to))) return undefined
  return `${file}: ${from} must not import ${to} (${specifier})`
}
