import { valueOf } from '#test/support/value-of.ts'
import {
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { formatKeyLine, parseKeyFile, parseKeyLine, addKey } from '#reference/keys-file.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import { askStatus, testKey } from './client.ts'
import { runReference } from './running.ts'

const [A, B] = [testKey(11), testKey(12)]
const NODE = `0x${'ab'.repeat(32)}`

function newFile(text?: string): string {
  const folder = temporaryFolder()
  const file = join(folder, 'keys.txt')
  if (text !== undefined) writeFileSync(file, text)
  return file
}

describe('a keys file', () => {
  it.each([
    ['a key one digit too short', A.hex.slice(1), '64 hex digits'],
    ['a word', 'ssh-ed25519', '64 hex digits'],
    ['a key of small order', `01${'00'.repeat(31)}`, 'small order'],
    ['a non-canonical key', `ee${'ff'.repeat(30)}7f`, 'canonical'],
    ['a key that is not on the curve', `02${'00'.repeat(31)}`, 'not a point'],
    ['a node without 0x', `${B.hex} nodes=abc`, 'nodes='],
    ['no node', `${B.hex} nodes=`, 'nodes='],
    ['an invalid date', `${B.hex} not-after=2027-13-01`, 'not-after='],
    ['a date in words', `${B.hex} not-after=tomorrow`, 'not-after='],
    ['an unknown option', `${B.hex} admin=yes`, 'not one of'],
    ['the same key again', A.hex, 'duplicate'],
  ])('skips a line with %s, reports its number and keeps the others', (_, line, problem) => {
    const { entries, problems } = parseKeyFile(`${A.hex}\n${line}\n${testKey(13).hex}\n`)
    expect(entries.map(({ key }) => key.hex)).toEqual([A.hex, testKey(13).hex])
    expect(problems).toEqual([{ line: 2, problem: expect.stringContaining(problem) }])
  })

  const entryOf = (line: string) => {
    const entry = parseKeyLine(line)
    return entry.ok ? entry.value : entry.error
  }

  it('may have spaces around its lines and the line ends of any system', () => {
    const { entries, problems } = parseKeyFile(`\t${A.hex} \r  # mine\r\n\t\n${B.hex}\r`)
    expect([entries.length, problems]).toEqual([2, []])
  })

  it('skips keys over its limit and reports their lines', () => {
    const [first, second, third] = [A, B, testKey(13)].map(({ hex }) => hex)
    const { entries, problems } = parseKeyFile(`${first}\n# two\n${second}\n${third}\n${first}\n`, 2)
    expect(entries.map(({ key }) => key.hex)).toEqual([first, second])
    expect(problems).toEqual([
      { line: 4, problem: 'more than 2 keys' },
      { line: 5, problem: 'the key is a duplicate' },
    ])
  })

  it.each<[option: string, found: object]>([
    ['', { nodes: '*', notAfterMs: undefined, note: '' }],
    ['note=x"y"', { note: 'x"y"' }],
    ['note="x y" note=z', { note: 'z' }],
    ['note=""', { note: '' }],
    ['note="a=b"', { note: 'a=b' }],
    [`note="${'n'.repeat(201)}"`, { note: 'n'.repeat(200) }],
    ['nodes=*', { nodes: '*' }],
    [`nodes=${NODE.toUpperCase().replace('0X', '0x')}`, { nodes: [NODE] }],
    [`nodes=${Array.from({ length: 1_000 }, () => NODE).join(',')}`, { nodes: expect.any(Array) }],
    ['not-after=2027-01-01', { notAfterMs: Date.UTC(2027, 0, 1) }],
    ['not-after=2027-01-01T10:20:30Z', { notAfterMs: Date.UTC(2027, 0, 1, 10, 20, 30) }],
    ['not-after=2027-01-01T10:20:30.5Z', { notAfterMs: Date.UTC(2027, 0, 1, 10, 20, 30, 500) }],
    ['not-after=2027-01-01T10:20:30.123Z', { notAfterMs: Date.UTC(2027, 0, 1, 10, 20, 30, 123) }],
  ])('accepts the options of a key: %s', (option, found) => {
    expect(entryOf(`${A.hex} ${option}`)).toMatchObject(found)
  })

  const NODES_WRONG = 'nodes= takes "*" or node ids of 0x and 64 hex digits, separated by commas'
  const END_WRONG = 'not-after= takes a time like 2027-01-01T00:00:00Z'
  it.each([
    [`nodes=x${NODE}`, NODES_WRONG],
    [`nodes=${NODE}a`, NODES_WRONG],
    [`nodes=${NODE},`, NODES_WRONG],
    [`nodes=*,${NODE}`, NODES_WRONG],
    [`nodes=${Array.from({ length: 1_001 }, () => NODE).join(',')}`, 'nodes= has more than 1000 ids'],
    ['not-after=', END_WRONG],
    ['not-after=2027-01-01T10:20:30', END_WRONG],
    ['not-after=2027-1-1', END_WRONG],
    ['not-after=2027-01-01T10:20Z', END_WRONG],
    ['not-after=x2027-01-01', END_WRONG],
    ['not-after="Fri 2027-01-01"', END_WRONG],
    ['not-after="2027-01-01 10:20"', END_WRONG],
  ])('rejects the option %s', (option, problem) => {
    expect(entryOf(`${A.hex} ${option}`)).toBe(problem)
  })

  it('has lines with every field that an entry sets', () => {
    const line = `${A.hex} nodes=${NODE},0x${'cd'.repeat(32)} not-after=2027-01-01T00:00:00.000Z note="wall screen"`
    const entry = valueOf(parseKeyLine(line))
    expect(formatKeyLine(entry)).toBe(line)
    expect(formatKeyLine({ ...entry, nodes: '*', notAfterMs: undefined, note: '' })).toBe(`${A.hex} nodes=*`)
    expect(
      formatKeyLine({ ...entry, nodes: '*', notAfterMs: undefined, note: `a"b\nc${'d'.repeat(300)}` }),
    ).toBe(`${A.hex} nodes=* note="a b c${'d'.repeat(195)}"`)
  })

  it('reads back the lines it writes, even with a hostile note', () => {
    const entry = valueOf(parseKeyLine(`${A.hex} nodes=${NODE} not-after=2027-01-01`))
    const hostile = { ...entry, note: 'x" nodes=* not-after=2099-01-01\n# y' }
    const { entries, problems } = parseKeyFile(formatKeyLine(hostile))
    expect([entries.length, problems]).toEqual([1, []])
    expect(entries[0]).toMatchObject({ nodes: [NODE], notAfterMs: Date.UTC(2027, 0, 1) })
  })
})

/** Records the log of a service. */
function operator() {
  const lines: string[] = []
  let heard = (_line: string): void => undefined
  return {
    lines,
    log: (line: string): void => {
      lines.push(line)
      heard(line)
    },
    /** Resolves at the next line with this end. */
    hears: (end: string): Promise<void> =>
      new Promise((done) => {
        heard = (line) => (line.endsWith(end) ? done() : undefined)
      }),
  }
}

describe('the service', () => {
  it('accepts the keys of its file and reloads the file when it changes', async () => {
    const file = newFile(`${A.hex}\nnonsense\n`)
    const { lines, log, hears } = operator()
    const { baseUrl } = await runReference({ keysFile: file, keysPollMs: 10, log })
    expect((await askStatus(baseUrl, { key: A })).status).toBe(200)
    expect((await askStatus(baseUrl, { key: B })).status).toBe(401)
    expect(lines.join('\n')).toMatch(/line 2 skipped.*\n.*1 registered/)
    const reloaded = hears(`2 registered from ${file}`)
    expect(addKey({ file, key: B.hex, nodes: undefined, notAfter: undefined, note: 'two' }, 0).ok).toBe(true)
    await reloaded
    expect((await askStatus(baseUrl, { key: B })).status).toBe(200)
    const gone = hears(`${file} does not exist. No key from it is registered.`)
    unlinkSync(file)
    await gone
    expect((await askStatus(baseUrl, { key: B })).json()['code']).toBe('key-not-registered')
  })

  it('starts without its keys file and loads it once it exists', async () => {
    const file = newFile()
    const { log, hears } = operator()
    const { baseUrl } = await runReference({ keysFile: file, keysPollMs: 10, log })
    const reloaded = hears(`1 registered from ${file}`)
    // Renamed into place: a poll in the middle of a write would read an empty file.
    writeFileSync(`${file}.new`, A.hex)
    renameSync(`${file}.new`, file)
    await reloaded
    expect((await askStatus(baseUrl, { key: A })).status).toBe(200)
  })
})

/** A worker thread, which Stryker uses, cannot change its user. */
const CAN_BE_ANOTHER = isMainThread && process.getuid?.() === 0

describe('adding a key', () => {
  const NOW_MS = Date.UTC(2026, 5, 1)
  const add = (file: string, more: Partial<Parameters<typeof addKey>[0]> = {}) =>
    addKey({ file, key: A.hex, nodes: undefined, notAfter: undefined, note: undefined, ...more }, NOW_MS)

  it('creates the file, then appends lines and keeps the others', () => {
    const file = newFile()
    expect(add(file).ok).toBe(true)
    writeFileSync(file, `${readFileSync(file, 'utf8')}# mine`)
    const second = add(file, {
      key: `0x${B.hex.toUpperCase()}`,
      nodes: NODE,
      notAfter: '90d',
      note: 'wall screen',
    })
    expect(second).toEqual(ok(`${B.hex} nodes=${NODE} not-after=2026-08-30T00:00:00.000Z note="wall screen"`))
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(new RegExp(`^# Keys[^\n]*\n${A.hex} nodes=\\*\n# mine\n${B.hex} [^\n]*\n$`))
    expect(readdirSync(join(file, '..'))).toEqual(['keys.txt'])
  })

  it.each([
    ['a key that is already there', { key: A.hex }, 'already'],
    ['a key of small order', { key: '00'.repeat(32) }, 'small order'],
    ['half a key', { key: 'abcd' }, '64 hex digits'],
    ['an invalid node id', { key: B.hex, nodes: 'all' }, '--nodes'],
    ['an invalid end date', { key: B.hex, notAfter: 'soon' }, '--not-after'],
    ['a file in a missing folder', { key: B.hex, file: '/nowhere/keys.txt' }, '--keys'],
  ])('refuses %s and changes nothing', (_, more, problem) => {
    const file = newFile(`${A.hex}\n`)
    expect(add(file, more)).toEqual(err(expect.stringContaining(problem)))
    expect(readFileSync(file, 'utf8')).toBe(`${A.hex}\n`)
  })

  it('adds no empty line after a final line end', () => {
    const file = newFile(`# mine\n${B.hex}\n`)
    expect(add(file)).toEqual(ok(`${A.hex} nodes=*`))
    expect(readFileSync(file, 'utf8')).toBe(`# mine\n${B.hex}\n${A.hex} nodes=*\n`)
    const empty = newFile('')
    expect(add(empty).ok).toBe(true)
    expect(readFileSync(empty, 'utf8')).toMatch(
      /^# Keys that may read nodes: [^\n]*\n[0-9a-f]{64} nodes=\*\n$/,
    )
  })

  describe.skipIf(process.platform === 'win32')('through a symbolic link', () => {
    it.each([
      ['writes to its target', `${B.hex}\n`, (file: string) => file, [B.hex, A.hex]],
      ['creates its target', undefined, (file: string) => basename(file), [A.hex]],
    ])('%s', (_, text, targetOf, keys) => {
      const file = newFile(text)
      const link = `${file}.link`
      symlinkSync(targetOf(file), link)
      expect(add(link).ok).toBe(true)
      expect(lstatSync(link).isSymbolicLink()).toBe(true)
      expect(parseKeyFile(readFileSync(file, 'utf8')).entries.map(({ key }) => key.hex)).toEqual(keys)
    })
  })

  it.skipIf(!CAN_BE_ANOTHER)('refuses to change a file that this user may not write to', () => {
    const file = newFile(`${B.hex}\n`)
    process.seteuid?.(1_000)
    try {
      expect(add(file)).toEqual(err(expect.stringContaining('(EACCES). Add the key as its owner')))
    } finally {
      process.seteuid?.(0)
    }
    expect(readFileSync(file, 'utf8')).toBe(`${B.hex}\n`)
  })
})
