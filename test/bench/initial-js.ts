import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { gzipKb, readBuiltFiles } from '#test/support/built-files.ts'
import buildOnce from '#test/support/build-once.ts'
import { INITIAL_JS_LIMIT_KB } from '#test/support/limits.ts'
import { beside, rounded, type Figure } from './figure.ts'

/** JavaScript that must load before the first status appears, compared with everything in one script. */
export async function measureInitialJs(say: (line: string) => void): Promise<Figure> {
  buildOnce()
  const files = readBuiltFiles()
  for (const file of files.workers)
    say(`${file}: ${rounded(gzipKb([file]))} kB gzip, in parallel with the page`)
  say(
    `later chunks: ${rounded(gzipKb(files.laterScripts))} kB gzip, styles: ${rounded(gzipKb(files.styles))} kB gzip`,
  )
  const ours = gzipKb(files.initialScripts)
  const rival = await eagerKb()
  const rivalName = 'React, React Query, tweetnacl and Recharts in one script'
  return {
    ...beside('initial-js-gzip', 'kB', ours, rival, rivalName, INITIAL_JS_LIMIT_KB),
    direction: 'lower',
  }
}

async function eagerKb(): Promise<number> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: join(import.meta.dirname, 'eager'),
    plugins: [react()],
    build: {
      write: false,
      target: 'es2023',
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: { input: join(import.meta.dirname, 'eager/main.tsx') },
    },
  })
  if (!('output' in built)) throw new Error('the build wrote no files')
  const chunks = built.output.filter((file) => file.type === 'chunk')
  return chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0) / 1_000
}
