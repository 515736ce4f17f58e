import { renameSync, rmdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { CHUNK_GROUPS, STATUS_PAGES } from './vite.chunks.ts'
import { licencesBeside } from './vite.licences.ts'
import { reactWithoutUnused } from './vite.react.ts'

/** What stands around every dynamic import of the build. */
const LATE_STYLES = resolve(import.meta.dirname, 'src/web/platform/late-styles.ts')

const MANIFEST = '.vite/manifest.json'

/**
 * Keeps the build manifest beside the hosted files instead of among them: the budget test
 * reads it, nobody needs to fetch it.
 */
function manifestBeside(): Plugin {
  let hosted = ''
  return {
    name: 'manifest-beside',
    apply: 'build',
    configResolved: ({ root, build }) => {
      hosted = resolve(root, build.outDir)
    },
    writeBundle: () => {
      renameSync(join(hosted, MANIFEST), join(hosted, '../manifest.json'))
      rmdirSync(dirname(join(hosted, MANIFEST)))
    },
  }
}

/**
 * Names in the page what a first status needs, so that it is fetched at once and side by side. Vite's own way is a
 * script that fetches, and a list of every file: all of it JavaScript that the first status waits for.
 */
function preloadInPage(): Plugin {
  return {
    name: 'preload-in-page',
    apply: 'build',
    enforce: 'pre',
    load: (id) =>
      id === '\0vite/preload-helper.js'
        ? `export { loadWithStyles as __vitePreload } from ${JSON.stringify(LATE_STYLES)}`
        : null,
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {}, chunk }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const pages = chunks.filter(({ facadeModuleId }) =>
          STATUS_PAGES.some((page) => page.test(facadeModuleId ?? '')),
        )
        const needed = new Set([chunk, ...pages].map((each) => each?.fileName ?? ''))
        for (const file of needed)
          for (const each of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) needed.add(each)
        needed.delete(chunk?.fileName ?? '')
        return Array.from(needed, (file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
        }))
      },
    },
  }
}

/** Names the build for pages that are open: the file with which the page begins, whose name holds a hash of all that belongs to it. */
function versionInFile(): Plugin {
  return {
    name: 'version-in-file',
    apply: 'build',
    generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find(
        (file) =>
          file.type === 'chunk' && file.isEntry && file.facadeModuleId?.endsWith('index.html') === true,
      )
      if (entry === undefined) throw new Error('no file with which the page begins')
      const source = `${JSON.stringify({ build: `/${entry.fileName}` })}\n`
      this.emitFile({ type: 'asset', fileName: 'version.json', source })
    },
  }
}

/** The sign-in page shares the app's styles; the scripts that they were bundled beside have no place where passwords are typed. */
function loginWithoutScripts(): Plugin {
  return {
    name: 'login-without-scripts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { path }) =>
        path === '/login.html'
          ? html.replace(/\s*<(script|link)[^>]*(type="module"|rel="modulepreload")[^>]*>(<\/script>)?/g, '')
          : html,
    },
  }
}

const web: UserConfig = {
  plugins: [
    react(),
    reactWithoutUnused(),
    preloadInPage(),
    loginWithoutScripts(),
    versionInFile(),
    licencesBeside(),
    manifestBeside(),
  ],
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // The first of each that know `light-dark()`; for older ones every colour would be written three times.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: MANIFEST,
    // A data: address would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: false,
    // Recharts is larger than the default limit; test/built/budget.test.ts holds the limits that count.
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    rolldownOptions: {
      // The second is the server's sign-in page: no script of the app is in it.
      input: ['index.html', 'login.html'],
      output: {
        codeSplitting: { groups: CHUNK_GROUPS },
      },
    },
  },
  worker: {
    format: 'es',
    rolldownOptions: {
      output: {
        // One file per Worker: the signer's policy lets it load nothing, not even its own chunks.
        codeSplitting: false,
        entryFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
}

/** The command line, server and reference service, which need nothing but Node; the bench's faults in a file that no package has. */
const node: UserConfig = {
  publicDir: false,
  ssr: { noExternal: true, external: ['vite'] },
  build: {
    outDir: 'dist/node',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rolldownOptions: { output: { chunkFileNames: '[name].js' } },
  },
}

export default defineConfig(({ command, isSsrBuild }) => {
  // A NODE_ENV that is set to something else would put React's development build into the product.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return isSsrBuild === true ? node : web
})
