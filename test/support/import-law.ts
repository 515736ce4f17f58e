import { posix } from 'node:path'
import { parseSync } from 'vite'
import { read } from './source-tree.ts'

type Law = { readonly uses: readonly string[]; readonly packages: readonly string[] }

/** The layers that build on the interface's vocabulary. A layer that depends on them may use them all. */
const PROTOCOL = [
  'core/base',
  'core/record',
  'core/signing',
  'core/proof',
  'core/receivers',
  'core/settings',
  'core/metrics',
  'core/protocol',
]
const HISTORY = ['core/history', 'core/history/codec', 'core/history/store', 'core/history/transfer']
const PIPED = [
  ...PROTOCOL,
  'core/storage',
  ...HISTORY,
  'core/charts',
  'core/report',
  'core/fleet',
  'core/evaluate',
  'core/alarms',
  'core/delivery',
  'core/monitor',
]
const CORE = [...PIPED, 'core/prometheus', 'core/pipeline']

/** Pages show what the engine found: under `web` only the engine's Worker evaluates, and only through the pipeline. */
const SHOWN = CORE.filter((layer) => layer !== 'core/evaluate')

/** What a component of a page may import. */
const SCREEN = [...SHOWN, 'web/engine', 'web/signer', 'web/texts', 'web/react', 'web/ui']

/** What the server and the watch share: they deliver messages and sign, with the page's words. */
const SERVED = [
  ...PROTOCOL,
  'core/fleet',
  'core/alarms',
  'core/delivery',
  'core/keys',
  'web/texts',
  'node/base',
]

/**
 * The import law, bottom to top. A layer may import itself, the layers in `uses`, and the npm packages in `packages`;
 * nothing else. `node/cli` is the file src/node/cli.ts, which assembles the parts as web/app does.
 */
export const LAYERS: Readonly<Record<string, Law>> = {
  'core/base': { uses: [], packages: ['valibot', '@scure/base'] },
  'core/record': { uses: ['core/base'], packages: ['valibot'] },
  'core/signing': { uses: ['core/base', 'core/record'], packages: ['valibot', '@noble/hashes'] },
  'core/proof': {
    uses: ['core/base', 'core/record', 'core/signing'],
    packages: ['valibot', '@noble/hashes'],
  },
  // One file for each kind of receiver whose messages the server renders.
  'core/receivers': { uses: ['core/base', 'core/record'], packages: ['valibot'] },
  'core/settings': {
    uses: ['core/base', 'core/record', 'core/signing', 'core/proof', 'core/receivers'],
    packages: ['valibot'],
  },
  // One definition per metric, which all higher layers walk.
  'core/metrics': { uses: ['core/base', 'core/record', 'core/proof', 'core/settings'], packages: [] },
  'core/protocol': {
    uses: ['core/base', 'core/record', 'core/signing', 'core/settings', 'core/metrics'],
    packages: ['valibot'],
  },
  'core/keys': { uses: PROTOCOL, packages: ['tweetnacl', 'valibot', '@noble/*'] },
  // The databases of an origin: history has one, alarms another.
  'core/storage': { uses: ['core/base'], packages: [] },
  'core/history': { uses: [...PROTOCOL, 'core/storage'], packages: [] },
  'core/history/codec': { uses: [...PROTOCOL, 'core/history'], packages: ['valibot'] },
  'core/history/store': {
    uses: [...PROTOCOL, 'core/storage', 'core/history', 'core/history/codec'],
    packages: ['valibot'],
  },
  'core/history/transfer': {
    uses: [...PROTOCOL, 'core/storage', 'core/history', 'core/history/codec', 'core/history/store'],
    packages: ['@noble/hashes'],
  },
  // Readers of history: the data of charts, and the figures of a report.
  'core/charts': { uses: [...PROTOCOL, 'core/history', 'core/history/store'], packages: [] },
  'core/report': { uses: [...PROTOCOL, 'core/history', 'core/history/store', 'core/charts'], packages: [] },
  // The live state of the fleet and what it means: pure, read by alarms, engine and screens.
  'core/fleet': { uses: PROTOCOL, packages: [] },
  // What a Prometheus-compatible engine stores of nodes, queried by the metrics' definitions and joined to history.
  'core/prometheus': {
    uses: [...PROTOCOL, 'core/history', 'core/charts', 'core/report', 'core/fleet'],
    packages: ['valibot'],
  },
  'core/evaluate': { uses: [...PROTOCOL, 'core/fleet'], packages: [] },
  'core/alarms': {
    uses: [...PROTOCOL, 'core/storage', 'core/history', 'core/charts', 'core/fleet', 'core/evaluate'],
    packages: ['valibot'],
  },
  // Delivery of notifications: the queue, and one file for each kind of receiver.
  'core/delivery': { uses: [...PROTOCOL, 'core/alarms'], packages: ['valibot'] },
  // The engine gets a Signer and sees no key.
  'core/monitor': {
    uses: [...PROTOCOL, 'core/history', 'core/fleet', 'core/evaluate'],
    packages: ['valibot'],
  },
  // The whole engine: runs wherever there is a clock and a transport, with a browser or without.
  'core/pipeline': { uses: PIPED, packages: ['valibot'] },
  'web/texts': { uses: SHOWN, packages: [] },
  'web/platform': { uses: [...SHOWN, 'core/keys'], packages: ['idb', 'comlink'] },
  'web/signer': { uses: [...PROTOCOL, 'core/keys', 'web/platform'], packages: ['comlink'] },
  // Includes texts, because people read what leaves the browser.
  'web/engine': { uses: [...SHOWN, 'web/texts', 'web/platform', 'web/signer'], packages: ['comlink'] },
  'web/react': {
    uses: [...SHOWN, 'web/engine', 'web/signer', 'web/platform'],
    packages: ['react', '@tanstack/react-query', 'valibot'],
  },
  // The layer `ui` knows no domain types: props in, DOM out.
  'web/ui': {
    uses: ['core/base'],
    packages: [
      'react',
      'react-dom',
      'recharts',
      'lean-qr',
      'lucide-react',
      '@fontsource/*',
      '@fontsource-variable/*',
    ],
  },
  // Components that several features share: domain types and words, but no page.
  'web/parts': {
    uses: SCREEN,
    packages: ['react', 'lucide-react'],
  },
  'web/features/*': {
    uses: [...SCREEN, 'web/parts'],
    packages: ['react', '@tanstack/react-query', 'lucide-react'],
  },
  'web/app': {
    uses: [...SCREEN, 'core/keys', 'web/platform', 'web/parts', 'web/features/*'],
    packages: ['react', 'react-dom', '@tanstack/react-query', 'lucide-react', 'comlink'],
  },
  // Code that all commands share.
  'node/base': { uses: PROTOCOL, packages: ['node:*', 'undici'] },
  'node/reference': { uses: [...PROTOCOL, 'core/keys', 'node/base'], packages: ['node:*', '@scure/base'] },
  'node/server': {
    uses: [...SERVED, 'core/history', 'core/prometheus'],
    packages: ['node:*', 'valibot', 'nodemailer'],
  },
  // The whole engine without a browser, its state in files.
  'node/watch': {
    uses: [...SERVED, ...HISTORY, 'core/monitor', 'core/pipeline', 'node/server'],
    packages: ['node:*', 'valibot'],
  },
  // The engine without a screen, with the server's configuration file and the page's words for keys.
  'node/collector': {
    uses: [
      ...PROTOCOL,
      'core/history',
      'core/fleet',
      'core/evaluate',
      'core/alarms',
      'core/keys',
      'core/monitor',
      'core/prometheus',
      'web/texts',
      'node/base',
      'node/server',
      'node/watch',
    ],
    packages: ['node:*', 'prom-client'],
  },
  // The dashboard's connection test in a terminal.
  'node/probe': {
    uses: [
      ...PROTOCOL,
      'core/keys',
      'core/monitor',
      'web/texts',
      'node/base',
      'node/server',
      'node/collector',
    ],
    packages: ['node:*', 'jsonc-parser'],
  },
  'node/cli': {
    uses: [
      ...PROTOCOL,
      'web/platform',
      'node/base',
      'node/reference',
      'node/server',
      'node/watch',
      'node/collector',
      'node/probe',
    ],
    packages: ['node:*', 'vite'],
  },
}

const aliases: Readonly<Record<string, string>> = JSON.parse(read('package.json')).imports

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

const matches = (pattern: string, value: string): boolean =>
  new RegExp(`^${escaped(pattern).replaceAll('*', '.+')}$`).test(value)

/**
 * `web/features/fleet/page.tsx` is in `web/features/fleet`, `node/cli.ts` in `node/cli`, and a file of a declared
 * folder in that folder; every other file is in the layer of its first two folders.
 */
export function layerOf(file: string): string {
  const parts = file.replace(/\.\w+$/, '').split('/')
  const nested = parts.slice(0, 3).join('/')
  return file.startsWith('web/features/') || LAYERS[nested] !== undefined
    ? nested
    : parts.slice(0, 2).join('/')
}

export const lawFor = (layer: string): Law | undefined =>
  LAYERS[layer] ?? (layer.startsWith('web/features/') ? LAYERS['web/features/*'] : undefined)

const importsByFile = new Map<string, readonly string[]>()

/** The imports of a file in src: static, re-exported, dynamic, and Worker URLs. */
export function importsOf(file: string): readonly string[] {
  const known = importsByFile.get(file) ?? readImports(file)
  importsByFile.set(file, known)
  return known
}

function readImports(file: string): readonly string[] {
  const code = read(`src/${file}`)
  const { module } = parseSync(file, code)
  return [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...module.staticExports.flatMap((found) =>
      found.entries.flatMap((entry) => (entry.moduleRequest ? [entry.moduleRequest.value] : [])),
    ),
    ...module.dynamicImports.flatMap(
      ({ moduleRequest: { start, end } }) => /^['"](.*)['"]$/.exec(code.slice(start, end))?.slice(1) ?? [],
    ),
  ]
}

/** The packages that files of src need at run time, directly or through other files. Type-only imports do not count. */
export function packagesNeededBy(files: readonly string[]): readonly string[] {
  const reached = new Set(files)
  const packages = new Set<string>()
  for (const file of reached)
    for (const { entries, moduleRequest } of parseSync(file, read(`src/${file}`)).module.staticImports) {
      if (entries.length > 0 && entries.every(({ isType }) => isType)) continue
      const target = resolve(file, moduleRequest.value)
      if (target === undefined) packages.add(moduleRequest.value)
      else if (/\.tsx?$/.test(target)) reached.add(target)
    }
  return Array.from(packages).toSorted()
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

/** What is wrong with an import, in words; undefined if it is allowed. */
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

/**
 * Groups of files that import each other in a cycle, by Tarjan's algorithm (Depth-first search and linear graph
 * algorithms, 1972). Without cycles a reader can read each file after those that it uses.
 */
export function circles(files: readonly string[]): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string): number => {
    const own = index.size
    index.set(file, own)
    low.set(file, own)
    stack.push(file)
    for (const specifier of importsOf(file)) {
      const target = resolve(file, specifier.replace(/\?.*$/, ''))
      if (target === undefined || !files.includes(target)) continue
      if (!index.has(target)) low.set(file, Math.min(low.get(file) ?? own, visit(target)))
      else if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? own, index.get(target) ?? own))
    }
    if (low.get(file) === own) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1) found.push(group.toSorted())
    }
    return low.get(file) ?? own
  }
  for (const file of files) if (!index.has(file)) visit(file)
  return found
}
