import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const ROOT = join(import.meta.dirname, '../..')
const BUILT = ['dist/web/index.html', 'dist/node/cli.js'].map((path) => join(ROOT, path))
const INPUTS = ['src', 'public', 'index.html', 'package.json', 'vite.config.ts', 'vite.licences.ts'].map(
  (path) => join(ROOT, path),
)

/** Rebuilds the app if a source is newer than the build, so that tests never run against a stale one. */
export default function buildOnce(): void {
  if (BUILT.every((path) => existsSync(path)) && Math.max(...INPUTS.map(newestMs)) < oldestMs(BUILT)) return
  const npm = process.env['npm_execpath']
  const [program, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  execFileSync(program, [...args, 'run', 'build', '--silent'], { cwd: ROOT, stdio: 'inherit' })
}

const oldestMs = (paths: readonly string[]): number =>
  Math.min(...paths.map((path) => statSync(path).mtimeMs))

function newestMs(path: string): number {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(path).map((entry) => newestMs(join(path, entry))))
}
