import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'

type Files = { existsSync: (path: string) => boolean; accessSync: (path: string) => void }
type Preflight = { problem: (nodeVersion: string, root: string, files: Files) => string }

const PROGRAM = join(import.meta.dirname, '../../src/node/preflight.cjs')
const preflight: Preflight = createRequire(import.meta.url)(PROGRAM)

const refusing = (code: string) => () => {
  throw Object.assign(new Error(code), { code })
}
const fine: Files = { existsSync: () => true, accessSync: () => undefined }
const problem = (nodeVersion: string, files: Partial<Files> = {}) =>
  preflight.problem(nodeVersion, '/project', { ...fine, ...files })

it.each([
  ['20.18.9', true],
  ['18.99.0', true],
  ['8.0.0', true],
  ['20.19.0', false],
  ['22.0.0', false],
  ['24.1.0', false],
])('Node %s is too old: %s', (version, tooOld) => {
  expect(problem(version).includes('too old')).toBe(tooOld)
})

it('a missing install is reported with the command to run', () => {
  expect(problem('22.0.0', { existsSync: (path) => !path.includes('node_modules') })).toContain(
    'npm ci --include=dev',
  )
})

it.each(['EACCES', 'EPERM', 'EROFS'])('a folder without write permission (%s) is reported', (code) => {
  expect(problem('22.0.0', { accessSync: refusing(code) })).toContain('No permission to write')
})

it('any other disk error is thrown, not reported as a lack of permission', () => {
  expect(() => problem('22.0.0', { accessSync: refusing('EIO') })).toThrow('EIO')
})

it('the preflight prints nothing on this computer', () => {
  expect(execFileSync(process.execPath, [PROGRAM], { encoding: 'utf8' })).toBe('')
})
