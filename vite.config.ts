import { renameSync, rmdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { CHUNK_GROUPS, IS_FIRST_PAGE } from './vite.chunks.ts'
import { licencesBeside } from './vite.licences.ts'

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

const web: UserConfig = {
  plugins: [react(), licencesBeside(), manifestBeside()],
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2023',
    manifest: MANIFEST,
    // A data: address would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    // The polyfill is inline work for browsers that lack what the app itself needs.
    // What a page imports is fetched with it only where a first status waits for it: the list of all of it would be in the first file.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, files) => (IS_FIRST_PAGE.test(file) ? files : []),
    },
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

/** The command line, server and reference service: one file that needs nothing but Node. */
const node: UserConfig = {
  publicDir: false,
  ssr: { noExternal: true, external: ['vite'] },
  build: { outDir: 'dist/node', emptyOutDir: true, target: 'node20', minify: false },
}

export default defineConfig(({ command, isSsrBuild }) => {
  // A NODE_ENV that is set to something else would put React's development build into the product.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return isSsrBuild === true ? node : web
})
