import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatKeyLine, parseKeyFile, parseKeyLine, addKey } from '#reference/key-file.ts'
import { askStatus, testKey } from './client.ts'
import { runReference } from './running.ts'

const [A, B] = [testKey(11), testKey(12)]
const NODE = `0x${'ab'.repeat(32)}`

function newFile(text?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'reference-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'keys.txt')
  if (text !== undefined) writeFileSync(file, text)
  return file
}

describe('a file of keys', () => {
  it('has a key a line, with what it may read, until when, and what for', () => {
    const text = `# the wall\n\n${A.hex} nodes=${NODE},0x${'CD'.repeat(32)} not-after=2027-01-01T00:00:00Z note="wall screen"\r\n  ${B.hex}\n`
    const { entries, problems } = parseKeyFile(text)
    expect(problems).toEqual([])
    expect(entries.map(({ key, ...rest }) => [key.hex, rest])).toEqual([
      [
        A.hex,
        { nodes: [NODE, `0x${'cd'.repeat(32)}`], notAfterMs: Date.UTC(2027, 0, 1), note: 'wall screen' },
      ],
      [B.hex, { nodes: '*', notAfterMs: undefined, note: '' }],
    ])
  })

  it.each([
    ['a digit too few', A.hex.slice(1), '64 hex digits'],
    ['a word', 'ssh-ed25519', '64 hex digits'],
    ['a key of small order', `01${'00'.repeat(31)}`, 'small order'],
    ['a key in a second form', `ee${'ff'.repeat(30)}7f`, 'canonical'],
    ['no point of the curve', `02${'00'.repeat(31)}`, 'no point'],
    ['a node without 0x', `${B.hex} nodes=abc`, 'nodes='],
    ['no node', `${B.hex} nodes=`, 'nodes='],
    ['a date that is none', `${B.hex} not-after=2027-13-01`, 'not-after='],
    ['a date in words', `${B.hex} not-after=tomorrow`, 'not-after='],
    ['an unknown option', `${B.hex} admin=yes`, 'none of'],
    ['the same key again', A.hex, 'already'],
  ])('skips a line with %s, says which, and keeps the others', (_, line, problem) => {
    const { entries, problems } = parseKeyFile(`${A.hex}\n${line}\n${testKey(13).hex}\n`)
    expect(entries.map(({ key }) => key.hex)).toEqual([A.hex, testKey(13).hex])
    expect(problems).toEqual([{ line: 2, problem: expect.stringContaining(problem) }])
  })

  it('reads back the lines that it writes, whatever the note says', () => {
    const entry = parseKeyLine(`${A.hex} nodes=${NODE} not-after=2027-01-01`)
    if (!entry.ok) throw new Error(entry.error)
    const hostile = { ...entry.value, note: 'x" nodes=* not-after=2099-01-01\n# y' }
    const { entries, problems } = parseKeyFile(formatKeyLine(hostile))
    expect([entries.length, problems]).toEqual([1, []])
    expect(entries[0]).toMatchObject({ nodes: [NODE], notAfterMs: Date.UTC(2027, 0, 1) })
  })
})

describe('the service', () => {
  it('lets in the keys of its file, and reads it again when it changes', async () => {
    const file = newFile(`${A.hex}\nnonsense\n`)
    const lines: string[] = []
    const { baseUrl, service } = await runReference({
      keysFile: file,
      keysPollMs: 10,
      log: (line) => lines.push(line),
    })
    expect((await askStatus(baseUrl, { key: A })).status).toBe(200)
    expect((await askStatus(baseUrl, { key: B })).status).toBe(401)
    expect(lines.join('\n')).toMatch(/line 2 skipped.*\n.*1 registered/)
    const reloaded = service.keys.nextReload()
    expect(addKey({ file, key: B.hex, nodes: undefined, notAfter: undefined, note: 'two' }, 0).ok).toBe(true)
    await reloaded
    expect((await askStatus(baseUrl, { key: B })).status).toBe(200)
    const gone = service.keys.nextReload()
    unlinkSync(file)
    await gone
    expect((await askStatus(baseUrl, { key: B })).json()['code']).toBe('key-not-registered')
  })

  it('starts without its file, and takes it when it comes', async () => {
    const file = newFile()
    const { baseUrl, service } = await runReference({ keysFile: file, keysPollMs: 10 })
    const reloaded = service.keys.nextReload()
    // In one step: the service may look at any moment, and would see an empty file first.
    writeFileSync(`${file}.new`, A.hex)
    renameSync(`${file}.new`, file)
    await reloaded
    expect((await askStatus(baseUrl, { key: A })).status).toBe(200)
  })
})

describe('adding a key', () => {
  const NOW_MS = Date.UTC(2026, 5, 1)
  const add = (file: string, more: Partial<Parameters<typeof addKey>[0]> = {}) =>
    addKey({ file, key: A.hex, nodes: undefined, notAfter: undefined, note: undefined, ...more }, NOW_MS)

  it('makes the file, then adds lines to it and leaves the others as they are', () => {
    const file = newFile()
    expect(add(file).ok).toBe(true)
    writeFileSync(file, `${readFileSync(file, 'utf8')}# mine`)
    const second = add(file, {
      key: `0x${B.hex.toUpperCase()}`,
      nodes: NODE,
      notAfter: '90d',
      note: 'wall screen',
    })
    expect(second).toEqual({
      ok: true,
      value: `${B.hex} nodes=${NODE} not-after=2026-08-30T00:00:00.000Z note="wall screen"`,
    })
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(new RegExp(`^# Keys[^\n]*\n${A.hex} nodes=\\*\n# mine\n${B.hex} [^\n]*\n$`))
    expect(readdirSync(join(file, '..'))).toEqual(['keys.txt'])
  })

  it.each([
    ['a key that is there already', { key: A.hex }, 'already'],
    ['a key of small order', { key: '00'.repeat(32) }, 'small order'],
    ['half a key', { key: 'abcd' }, '64 hex digits'],
    ['a node that is none', { key: B.hex, nodes: 'all' }, '--nodes'],
    ['an end that is none', { key: B.hex, notAfter: 'soon' }, '--not-after'],
    ['a file in a folder that is not there', { key: B.hex, file: '/nowhere/keys.txt' }, '--keys'],
  ])('refuses %s and changes nothing', (_, more, problem) => {
    const file = newFile(`${A.hex}\n`)
    expect(add(file, more)).toEqual({ ok: false, error: expect.stringContaining(problem) })
    expect(readFileSync(file, 'utf8')).toBe(`${A.hex}\n`)
  })

  it.each([
    ['12h', '2026-06-01T12:00:00.000Z'],
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
  ])('takes the end %s', (notAfter, written) => {
    expect(add(newFile(), { notAfter })).toMatchObject({ ok: true, value: expect.stringContaining(written) })
  })
})
