import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '#test/support/source-tree.ts'

type Locked = { readonly resolved?: string; readonly integrity?: string; readonly hasInstallScript?: boolean }

const json = (name: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  JSON.parse(readFileSync(join(ROOT, name), 'utf8'))
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
)
const locked = Object.entries(lock.packages).filter(([folder]) => folder !== '')

describe('an installed package', () => {
  it('is pinned by its hash, and comes from any registry', () => {
    expect(locked.length).toBeGreaterThan(100)
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    expect(locked.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([])
  })

  it('runs no install script', () => {
    expect(locked.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([])
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
  })

  it('is listed with its purpose in CONTRIBUTING.md', () => {
    const [, section = ''] = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split('## Dependencies')
    const rows = section.split('\n').flatMap((line) => {
      const [, names, why = ''] = /^\| ([@a-z][^|]*) \| ([^|]+) \|$/.exec(line) ?? []
      return names === undefined || names.trim() === 'package' || why.trim() === ''
        ? []
        : names.split(',').map((name) => name.trim())
    })
    const isNamed = (name: string): boolean =>
      rows.some((row) => row === name || (row.endsWith('*') && name.startsWith(row.slice(0, -1))))
    const { dependencies = {}, devDependencies = {} } = json('package.json')
    const names = [...Object.keys(dependencies), ...Object.keys(devDependencies)]
    expect(names.filter((name) => !isNamed(name))).toEqual([])
    expect(rows.filter((row) => !row.endsWith('*') && !names.includes(row))).toEqual([])
  })
})
