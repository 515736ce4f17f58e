import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { replaceFile } from '#node/replace-file.ts'

it('replaceFile flushes the file before the rename and the folder after it', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'replace-'))
  const calls: string[] = []
  const { fsyncSync, renameSync } = fs
  vi.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
    calls.push(fs.fstatSync(file).isDirectory() ? 'flush the folder' : 'flush the file')
    fsyncSync(file)
  })
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    calls.push('rename')
    renameSync(from, to)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    fs.rmSync(folder, { recursive: true })
  })
  replaceFile(join(folder, 'state.json'), 'new')
  expect(calls).toEqual(['flush the file', 'rename', 'flush the folder'])
  expect(fs.readdirSync(folder)).toEqual(['state.json'])
})
