/** What of the bundler's graph is asked. */
type Graph = {
  readonly getModuleInfo: (module: string) => { readonly importers: readonly string[] } | null
}

/** Files with which every screen begins. */
const START = /\/src\/web\/app\/main\.tsx$/
/** The pages that show a first status. */
export const STATUS_PAGES = [/\/features\/fleet\/fleet-page\.tsx$/, /\/features\/node\/node-page\.tsx$/]
const CHART = /\/ui\/chart\//
const STRIP_CHART = /\/ui\/chart\/strip-chart\.tsx$/
/** All that a screen may begin with. */
const FIRST_PAGES = /\/features\/(fleet|node|first-run|wall)\/[a-z-]+-page\.tsx$/
/** The package's one entry imports every icon, so that its importers say nothing of who shows one. */
const ICON = /\/lucide-react\/dist\/esm\/icons\//

/**
 * Which modules share a file. Each file is a request and compresses by itself, so few large ones
 * are better than dozens of small ones, as long as nobody waits for what is not needed yet.
 */
export const CHUNK_GROUPS = [
  {
    debugName: 'first',
    name: (module: string, graph: Graph): string | null => {
      if (ICON.test(module) || START.test(module)) return null
      const isFor = (files: RegExp): boolean => isImportedBy(files, module, graph)
      return isFor(START) || STATUS_PAGES.every(isFor) ? 'first' : null
    },
    priority: 1,
    includeDependenciesRecursively: false,
  },
  {
    debugName: 'status',
    // What others share with a page is in its own file: one, and not one for each set of pages that share something.
    name: (module: string, graph: Graph): string | null => {
      if (ICON.test(module)) return null
      const page = STATUS_PAGES.findIndex((files) => isImportedBy(files, module, graph))
      return page >= 0 ? `status-${page}` : null
    },
    includeDependenciesRecursively: false,
  },
  {
    debugName: 'shared',
    name: (module: string, graph: Graph): string | null => {
      if (ICON.test(module)) return 'icons'
      // It is wanted right after a node's first status; all else that is shared comes later.
      if (isOfChart(module, graph)) return 'strip-chart'
      return isImportedBy(FIRST_PAGES, module, graph) ? null : 'later'
    },
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
]

/** Whether only the chart uses a module, so that nothing else is lost where the chart can't be fetched. */
const isOfChart = (module: string, graph: Graph): boolean =>
  STRIP_CHART.test(module) ||
  (CHART.test(module) &&
    (graph.getModuleInfo(module)?.importers ?? []).every((importer) => isOfChart(importer, graph)))

/** Whether files import a module, themselves or through others. */
function isImportedBy(files: RegExp, module: string, graph: Graph): boolean {
  const seen = new Set([module])
  for (const one of seen) {
    if (files.test(one)) return true
    for (const importer of graph.getModuleInfo(one)?.importers ?? []) seen.add(importer)
  }
  return false
}
