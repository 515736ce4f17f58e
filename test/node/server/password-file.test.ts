import { scryptSync } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { err } from '#base/result.ts'
import { isAccountName, openPasswordFile, passwordLine } from '#server/password-file.ts'
import { temporaryFolder } from './test-server.ts'

/** Cheap, so that a test takes milliseconds. */
const LN = 14

const made = async (name: string, password: string) => {
  const line = await passwordLine(name, password, LN)
  return line.ok ? line.value : line.error
}

/** A line with a hash of no known password. */
const line = (name: string, { cost = 'ln=17,r=8,p=1', salt = 'A'.repeat(22), hash = 'B'.repeat(43) } = {}) =>
  `${name}:$scrypt$${cost}$${salt}$${hash}`

/** A line hashed by node:crypto, not by src. Made once for all tests, since hashing is slow. */
function lineBySystem(name: string, password: string, p: number): string {
  const salt = Buffer.alloc(16, name)
  const derived = scryptSync(password, salt, 32, { N: 2 ** LN, r: 8, p, maxmem: 2 ** 26 })
  const [saltText = '', hash = ''] = [salt, derived].map((bytes) =>
    bytes.toString('base64').replaceAll('=', ''),
  )
  return line(name, { cost: `ln=${LN},r=8,p=${p}`, salt: saltText, hash })
}
const KNOWN = [
  lineBySystem('op', 'caf\u00e9 au lait', 1),
  lineBySystem('twice', 'x'.repeat(1_024), 2),
  lineBySystem('long', 'x'.repeat(1_025), 1),
]

async function opened(text: string, mode = 0o600) {
  const file = join(await temporaryFolder(), 'passwords')
  await writeFile(file, text, { mode })
  const reports: string[] = []
  const result = openPasswordFile(file, (said) => reports.push(said.replaceAll(file, 'FILE')))
  const said = result.ok ? [] : result.error.map((each) => each.replaceAll(file, 'FILE'))
  return { file, reports, said, accounts: result.ok ? result.value : undefined }
}

describe('an account name', () => {
  it.each(['a', 'op', 'Ops@night-2.example_x', 'a'.repeat(64)])('may be %s', (name) =>
    expect(isAccountName(name)).toBe(true),
  )
  it.each(['', 'a'.repeat(65), 'a:b', 'a b', 'é', 'a\n', '#a/'])('may not be %j', (name) =>
    expect(isAccountName(name)).toBe(false),
  )
})

describe('a password', () => {
  it.each([
    'correct horse\0',
    '\0correct horse',
    'correct\ufffdhorse',
    'correct\ud800horse',
    'correct horse\udc00',
  ])('may not be %j, which has more than one encoding', async (password) => {
    expect(await made('op', password)).toBe('A password must be UTF-8 text without NUL characters.')
  })

  it('does not match with trailing NULs, which scrypt ignores', async () => {
    const { accounts } = await opened(await made('op', 'correct horse'))
    expect(await accounts?.verify('op', 'correct horse')).toBe(true)
    for (const more of ['\0', '\0\0', '\0x', '\ufffd'])
      expect(await accounts?.verify('op', `correct horse${more}`)).toBe(false)
  })
})

describe('a line of a password file', () => {
  it('has the name and a salted hash, which differs each time', async () => {
    const lines = [await made('op', 'correct horse'), await made('op', 'correct horse')]
    for (const each of lines)
      expect(each).toMatch(/^op:\$scrypt\$ln=14,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(lines[0]).not.toBe(lines[1])
  })

  it('requires a valid name and a password of 10 to 1,024 characters', async () => {
    expect(await made('a b', 'correct horse')).toBe(
      'The name must have 1 to 64 characters: letters, digits, ".", "_", "@" or "-".',
    )
    for (const length of [9, 1_025])
      expect(await made('op', 'x'.repeat(length))).toBe('The password must have 10 to 1024 characters.')
    for (const length of [10, 1_024]) expect(await made('op', 'x'.repeat(length))).toMatch(/^op:/)
  })

  it.each([
    ['op', 'caf\u00e9 au lait', true],
    ['op', 'cafe\u0301 au lait', true],
    ['op', 'cafe au lait', false],
    ['nobody', 'caf\u00e9 au lait', false],
    ['twice', 'x'.repeat(1_024), true],
    ['twice', 'x'.repeat(1_025), false],
    ['long', 'x'.repeat(1_025), false],
  ])(
    'accepts only its password, of at most 1,024 characters in any Unicode form: %s (%#)',
    async (name, password, isRight) => {
      const { accounts } = await opened(KNOWN.join('\n'))
      expect(await accounts?.verify(name, password)).toBe(isRight)
    },
  )

  it.each(['ln=14,r=8,p=1', 'ln=18,r=8,p=1', 'ln=17,r=8,p=4'])('may have the cost %s', async (cost) => {
    expect((await opened(line('op', { cost }))).said).toEqual([])
  })

  it.each([
    ...['ln=13,r=8,p=1', 'ln=19,r=8,p=1', 'ln=17,r=8,p=0', 'ln=17,r=8,p=5', 'ln=17,r=9,p=1'].map((cost) =>
      line('op', { cost }),
    ),
    line('a b'),
    line('op', { salt: 'A'.repeat(21) }),
    line('op', { salt: 'A'.repeat(87) }),
    line('op', { hash: 'B'.repeat(42) }),
    line('op', { hash: 'B'.repeat(44) }),
    line('op', { salt: '-'.repeat(22) }),
    `${line('op')}x`,
    `x ${line('op')}`,
    `x:${line('op')}`,
    'op:word',
  ])('may not be %s', async (text) => {
    expect((await opened(`# first\n${text}`)).said).toEqual([
      'FILE: line 2 was not written by hash-password.',
    ])
  })
})

/** A worker thread, which Stryker uses, cannot change its user. */
const CAN_BE_ANOTHER = isMainThread && process.getuid?.() === 0

describe('a password file', () => {
  it('may have empty lines, comments and surrounding spaces', async () => {
    const { accounts } = await opened(`# who\r\n\r\n  ${line('a')}  \n \n${line('b')}\n#${line('c')}`)
    expect([accounts?.count(), accounts?.stampOf('a')]).toEqual([
      2,
      Buffer.from('B'.repeat(43), 'base64').toString('hex'),
    ])
    expect(accounts?.stampOf('c')).toBeUndefined()
  })

  it('has 1 to 256 accounts, each once', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => line(`n${at}`)).join('\n')
    expect((await opened(lines(256))).accounts?.count()).toBe(256)
    expect((await opened(lines(257))).said).toEqual(['FILE: contains more than 256 accounts.'])
    expect((await opened(`${lines(2)}\n${line('n1')}`)).said).toEqual(['FILE: line 3 repeats an account.'])
    expect((await opened('# nobody')).said).toEqual([
      'FILE: contains no account. Add a line with: hash-password NAME',
    ])
  })

  it('is a file of at most 65,536 bytes', async () => {
    const text = `${line('op')}\n#`
    expect((await opened(text.padEnd(65_536, 'x'))).said).toEqual([])
    expect((await opened(text.padEnd(65_537, 'x'))).said).toEqual(['FILE: is larger than 65536 bytes.'])
    const folder = await temporaryFolder()
    expect(openPasswordFile(folder, () => undefined)).toMatchObject({ ok: false })
    const none = join(folder, 'none')
    expect(openPasswordFile(none, () => undefined)).toEqual(err([`${none}: does not exist.`]))
  })

  it.each([
    [0o600, true],
    [0o644, true],
    [0o620, false],
    [0o602, false],
  ])('may be readable but not writable by others: %o', async (mode, isTaken) => {
    const { file } = await opened(line('op'))
    await chmod(file, mode)
    expect(openPasswordFile(file, () => undefined)).toMatchObject(
      isTaken
        ? { ok: true }
        : err([
            `${file}: other users can write to it and so could give themselves access. Run: chmod 600 ${file}`,
          ]),
    )
  })

  it('is reloaded when it changes, and admits nobody while it is invalid', async () => {
    const { file, accounts, reports } = await opened(`${line('a')}\n${line('b')}`)
    const before = accounts?.stampOf('a')
    await writeFile(file, line('a', { hash: 'C'.repeat(43) }))
    expect(accounts?.count()).toBe(1)
    expect(accounts?.stampOf('a')).not.toBe(before)
    expect(reports).toEqual([])
    await writeFile(file, 'no such line')
    expect([accounts?.stampOf('a'), accounts?.count()]).toEqual([undefined, 0])
    expect(reports).toEqual([
      'Nobody can sign in until this is corrected: FILE: line 1 was not written by hash-password.',
    ])
    expect(await accounts?.verify('a', 'x'.repeat(1_025))).toBe(false)
  })

  it('admits nobody while others can write to it, which is reported once each time', async () => {
    const { file, accounts, reports } = await opened(line('a'))
    await chmod(file, 0o622)
    expect([accounts?.count(), accounts?.count()]).toEqual([0, 0])
    expect(reports).toEqual([
      'Nobody can sign in until this is corrected: FILE: other users can write to it and so could give themselves access. Run: chmod 600 FILE',
    ])
    await chmod(file, 0o600)
    expect(accounts?.count()).toBe(1)
    await chmod(file, 0o622)
    expect([accounts?.count(), reports.length]).toEqual([0, 2])
  })

  it.skipIf(!CAN_BE_ANOTHER)('is reloaded once it becomes readable, even if it did not change', async () => {
    const { file, accounts, reports } = await opened(line('a'))
    await chmod(dirname(file), 0o755)
    await writeFile(file, line('b'))
    await chmod(file, 0o600)
    process.seteuid?.(1_000)
    try {
      expect([accounts?.count(), accounts?.count()]).toEqual([0, 0])
    } finally {
      process.seteuid?.(0)
    }
    expect(accounts?.count()).toBe(1)
    expect(reports).toEqual([
      'Nobody can sign in until this is corrected: FILE: is not readable by this user.',
    ])
  })
})
