import process from 'node:process'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { licencesBeside } from './vite.licences.ts'

/** Lists in the page the scripts that it needs later (src/web/platform/late-scripts.ts). */
function lateScriptsInPage(): Plugin {
  return {
    name: 'late-scripts-in-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { path, bundle = {} }) => {
        const late = Object.values(bundle).filter((file) => file.type === 'chunk' && file.isDynamicEntry)
        const content = late.map(({ fileName }) => `/${fileName}`).join(' ')
        return path === '/index.html' ? [{ tag: 'meta', attrs: { name: 'late-scripts', content } }] : []
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
  // Relative addresses: the dashboard may be below a path of its host.
  base: './',
  plugins: [react(), lateScriptsInPage(), loginWithoutScripts(), versionInFile(), licencesBeside()],
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // The first of each that know `light-dark()`; for older ones every colour would be written three times.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A data: address would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    // What the page begins with is named in it; all that comes later shares one script, which is here by then.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, scripts, { hostType }) => (hostType === 'html' ? scripts : []),
    },
    // One style sheet: no page is drawn before its styles are here.
    cssCodeSplit: false,
    // Recharts is larger than the default limit; test/built/budget.test.ts holds the limits that count.
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    rolldownOptions: {
      // The second is the server's sign-in page: no script of the app is in it.
      input: ['index.html', 'login.html'],
      output: {
        codeSplitting: {
          // One of what the page begins with, one of what pages share, and one a page.
          groups: [
            { name: 'first', test: /\/src\/web\/app\/begin\.tsx$/, priority: 1 },
            { name: 'later', minShareCount: 2 },
          ],
        },
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
