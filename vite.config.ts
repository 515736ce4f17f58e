import process from 'node:process'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { licencesBeside } from './vite.licences.ts'

/** Lists in the page the scripts that it loads later (src/web/platform/late-scripts.ts). */
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

/**
 * Identifies the build for open pages by the page's first script, whose name contains a hash of everything in the
 * build.
 */
function versionInFile(): Plugin {
  return {
    name: 'version-in-file',
    apply: 'build',
    generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find(
        (file) =>
          file.type === 'chunk' && file.isEntry && file.facadeModuleId?.endsWith('index.html') === true,
      )
      if (entry === undefined) throw new Error('the bundle has no first script of the page')
      const source = `${JSON.stringify({ build: `/${entry.fileName}` })}\n`
      this.emitFile({ type: 'asset', fileName: 'version.json', source })
    },
  }
}

/**
 * Removes scripts from the sign-in page. It shares the app's styles, which the bundler ties to scripts, but no script
 * belongs where passwords are typed.
 */
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
  // URLs are relative, because the dashboard may be served below a path of its host.
  base: './',
  plugins: [react(), lateScriptsInPage(), loginWithoutScripts(), versionInFile(), licencesBeside()],
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // The first versions that support `light-dark()`. For older ones the build would write every colour three times.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    // Preloads only the scripts that the page begins with. Later ones share one script, which is loaded by then.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, scripts, { hostType }) => (hostType === 'html' ? scripts : []),
    },
    // With a single style sheet, no page is drawn before its styles are loaded.
    cssCodeSplit: false,
    // Recharts exceeds the default limit. test/built/budget.test.ts enforces the limits that matter.
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    rolldownOptions: {
      // login.html is the server's sign-in page and contains no script of the app.
      input: ['index.html', 'login.html'],
      output: {
        codeSplitting: {
          // One script for what the page begins with, one for what pages share, and one for each page.
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
        // Each Worker is a single file, because the signer's policy lets it load nothing, not even its own chunks.
        codeSplitting: false,
        entryFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
}

/**
 * The command line, the server and the reference service, which need only Node. The test bench's faults are in a
 * separate file that the package does not include.
 */
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
  // Any other NODE_ENV would put React's development build into the product.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return isSsrBuild === true ? node : web
})
