import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { filesOf, read } from '#test/support/source-tree.ts'

const bundles = filesOf('dist/web/assets').filter((file) => /^signer-worker-[^/]*\.js$/.test(file))

describe('the built signer', () => {
  it('is one file that loads nothing, because its policy forbids it', () => {
    expect(bundles).toHaveLength(1)
    const code = read(`dist/web/assets/${bundles[0] ?? ''}`)
    const { module } = parseSync('signer.js', code)
    expect(module.staticImports).toEqual([])
    expect(module.dynamicImports).toEqual([])
    expect(code).not.toMatch(/\beval\(|\bnew Function\b|importScripts/)
  })
})
