import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from '#test/support/source-tree.ts'

const SIZE_MAX = 2_000_000

type Packed = {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

it('the package has all files that it needs, and installs and starts offline', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [packed]: readonly Packed[] = JSON.parse(
    execFileSync(process.execPath, ['src/node/pack.cjs', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    }),
  )
  if (packed === undefined) throw new Error('nothing was packed')
  const paths = packed.files.map(({ path }) => path)
  for (const path of [
    'dist/node/cli.js',
    'dist/web/index.html',
    'dist/web/licences.txt',
    'LICENSE',
    'README.md',
  ])
    expect(paths).toContain(path)
  expect(paths.filter((path) => /^(test|src\/(core|web))\/|\.tsx?$|\.map$/.test(path))).toEqual([])
  // Only a checkout has the faults of the test bench.
  expect(paths.filter((path) => path.includes('bench'))).toEqual([])
  expect(packed.size).toBeLessThan(SIZE_MAX)

  const place = join(folder, 'installed')
  mkdirSync(place)
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', place]
  execFileSync('npm', [...install, join(folder, packed.filename)], { cwd: place })
  expect(readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'immune-node-dashboard',
  ])
  const child = spawn(
    process.execPath,
    [
      join(place, 'node_modules/immune-node-dashboard/dist/node/cli.js'),
      'start',
      '--port',
      '0',
      '--reference-port',
      '0',
      '--data',
      join(folder, 'data'),
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url = line
    if (line.startsWith('http')) break
  }
  expect(await (await fetch(url)).text()).toContain('<title>')
  const config: { readonly demo?: { readonly nodes: readonly unknown[] } } = await (
    await fetch(new URL('config.json', url))
  ).json()
  expect(config.demo?.nodes.length).toBeGreaterThan(0)
})
